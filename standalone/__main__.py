"""The entry point of the command `landform`, which Ctrl-C ends also during the imports."""

import signal


def main() -> None:
    """Import the command, which takes most of the time, and run it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from landform.standalone.cli import main as run  # noqa: PLC0415

    # From here on an interrupted command cleans up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run(prog_name="landform")


if __name__ == "__main__":
    main()
