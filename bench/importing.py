"""Measure `landform import` on SQLite: all new, nothing changed, everything changed, not kept.

    .venv/bin/python bench/importing.py --pages 100000 --folder /var/tmp/landform-scale

The figures are seconds of the whole command, and pages and feeds a second.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
from store import made

TEXTS = ("title_raw", "title_rendered", "content_raw", "content_rendered")


def run(database: Path, *arguments: str | Path) -> float:
    """Return the seconds that a command takes."""
    environment = {**os.environ, "LANDFORM_DATABASE_URL": f"sqlite:///{database}"}
    command = [sys.executable, "-m", "landform.standalone", *map(str, arguments)]
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def change(lines: Path, changed: Path) -> int:
    """Write the lines with other texts to another file; return how many there are."""
    count = 0
    with lines.open("rb") as read, changed.open("wb") as out:
        for line in read:
            count += 1
            row = orjson.loads(line)
            row |= {name: f"{row[name]} changed" for name in TEXTS if name in row}
            row["meta"]["form_id"] = "17"
            out.write(orjson.dumps(row) + b"\n")
    return count


def main() -> None:
    """Measure a store of the size that was chosen and print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=100_000)
    options.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "landform-scale"
    )
    chosen = options.parse_args()
    file = Path(made(chosen.folder, chosen.pages).database.path)
    print("| import | seconds | lines a second |", "|---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        lines, changed, target = (Path(folder, name) for name in ("all", "changed", "copy.db"))
        run(file, "export", lines)
        count = change(lines, changed)
        cases = {
            "new, by id": (False, lines, "--by=id"),
            "new, by slug": (False, lines, "--by=slug"),
            "new, not kept": (False, lines, "--dry-run"),
            "nothing changed": (True, lines, "--by=id"),
            "everything changed": (True, changed, "--by=id"),
        }
        for name, (is_full, given, option) in cases.items():
            for left in Path(folder).glob("copy.db*"):
                left.unlink()
            if is_full:
                shutil.copy(file, target)
            seconds = run(target, "import", option, given)
            print(f"| {name} | {seconds:.1f} | {count / seconds:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
