"""The commands of leads that name files (see `tests/storage/test_command_files.py`)."""

LINES = {"entries file": "entries export 1 {}"}
PAIRS = ["entries export 1 {} --config {}"]
