"""Breaks the code in one place at a time, and looks whether the tests notice (`make mutants`).

Each mutant of `table.py` gets a copy of the checkout and an interpreter of its own, which finds the
package in that copy only, also in the processes that the tests start. The end is 1 where a mutant
survives that the table does not explain, or where the table does not fit the code.
"""

import argparse
import ast
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from table import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".lint", "build", "dist", "node_modules", "__pycache__", ".*_cache",
    ".hypothesis", "*.egg-info",
)  # fmt: skip
SECONDS = 150
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "xdist")
WHERE = "import landform.storage; print(landform.storage.__file__)"


def copy_checkout(folder: Path) -> tuple[Path, Path]:
    """Copy the checkout; return the copy, and the interpreter that finds no other one."""
    copy = folder / "landform"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    # Without the file that leads to the checkout: what lies in that folder is not run by `site`.
    paths = f"{folder}\n{sysconfig.get_path('purelib')}\n"
    (site,) = folder.glob("venv/lib/python3*/site-packages")
    (site / "copy.pth").write_text(paths)
    found = subprocess.run(
        [python, "-c", WHERE], env={}, capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith(str(copy)), found.stdout
    return copy, python


def mutated(mutant: Mutant, text: str) -> str:
    """Return the text of the file with the one change; `ValueError` where it does not fit."""
    if text.count(mutant.old) != 1:
        raise ValueError(f"{text.count(mutant.old)} places have this text")
    changed = text.replace(mutant.old, mutant.new)
    ast.parse(changed)
    return changed


def outcome(mutant: Mutant) -> str:
    """Return `killed`, `SURVIVED`, or why that cannot be told."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        copy, python = copy_checkout(Path(name))
        file = copy / mutant.file
        try:
            file.write_text(mutated(mutant, file.read_text()))
        except (ValueError, SyntaxError) as error:
            return f"STALE: {error}"
        return run([python, *PYTEST, *shlex.split(mutant.tests)], copy)


def run(command: list[str | Path], folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LANDFORM", "PYTHON"))}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    ) as tests:  # fmt: skip
        try:
            told, _ = tests.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            # As from the keyboard, so that the tests end what they have started.
            tests.send_signal(signal.SIGINT)
            try:
                tests.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                tests.kill()
            return "killed: it never ends"
    if tests.returncode == 1:
        failed = [line for line in told.splitlines() if line.startswith(("FAILED ", "ERROR tests"))]
        return "killed" + (f" by {failed[0].partition(' ')[2].split(' - ')[0]}" if failed else "")
    # All passed; anything else (2 to 5) says that the tests could not be run.
    return "SURVIVED" if tests.returncode == 0 else f"STALE: {told[-400:]}"


def main() -> int:
    """Run the mutants whose number is given, or whose file or text has one of the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    chosen = [
        (number, mutant)
        for number, mutant in enumerate(MUTANTS, 1)
        if not given.words
        or any(w == str(number) or w in mutant.file or w in mutant.old for w in given.words)
    ]
    unexplained, survived = 0, 0
    with ThreadPoolExecutor(given.jobs) as pool:
        for (number, mutant), end in zip(
            chosen, pool.map(outcome, [mutant for _, mutant in chosen]), strict=True
        ):
            killed = end.startswith("killed")
            survived += end == "SURVIVED"
            # An explanation of what is killed after all is as wrong as none.
            if bad := killed == bool(mutant.why):
                unexplained += 1
            shown = f"({mutant.why})" if mutant.why and not killed else ""
            print(f"{'!' if bad else ' '} {number:3} {mutant.file}: {end} {shown}")
            if bad:
                print(f"        {mutant.old!r}\n     -> {mutant.new!r}", flush=True)
            sys.stdout.flush()
    print(f"{len(chosen)} mutants, {survived} survived, {unexplained} not as the table says")
    return min(unexplained, 1)


if __name__ == "__main__":
    sys.exit(main())
