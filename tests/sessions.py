"""Sessions of the docs: commands of a shell, each with the output that is promised."""

import re
import subprocess
from pathlib import Path


def steps(text: str) -> list[tuple[str, str]]:
    """Return the commands of all sessions of a page, each with the output that is promised."""
    sessions = "".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))
    found = []
    for first, rest in re.findall(r"^\$ (.*?)\n((?:(?!\$ ).*\n)*)", sessions, re.MULTILINE):
        command, lines = first, rest.splitlines()
        # A command goes on where its line ends with a backslash, or inside of quotes.
        while command.endswith("\\") or command.count("'") % 2:
            command += "\n" + lines.pop(0)
        found.append((command, "\n".join(lines).strip()))
    assert len(found) == text.count("\n$ ") > 0
    return found


def play(text: str, folder: Path, places: dict[str, str]) -> None:
    """Run the commands of a page, in which some texts stand for others; compare what is printed."""
    for command, promised in steps(text):
        here, printed = command, ""
        for shown, real in places.items():
            here = here.replace(shown, real)
        ran = subprocess.run(
            ["sh", "-c", here], capture_output=True, text=True, check=False, cwd=folder, timeout=120
        )
        assert (ran.returncode, ran.stderr) == (0, ""), command
        printed = ran.stdout.strip()
        for shown, real in places.items():
            printed = printed.replace(real, shown)
        pattern = re.escape(promised).replace("…", '[^"]+').replace(r"\.\.\.", ".+")
        assert re.fullmatch(pattern, printed), (command, promised, printed)
