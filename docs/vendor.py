"""Compares the files of others in the console with those that npm has, byte by byte.

`make vendor` runs it. `versions.json` beside them says of which package and version each is. To
take another version, write it there, run this, and take over the files and checksums that it names.
"""

import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parents[1] / "parts/console/static/vendor"


def differences(folder: Path) -> Iterator[str]:
    """Yield what is not as npm has it; the packages are downloaded into a folder."""
    files = json.loads((FOLDER / "versions.json").read_bytes())
    packages = sorted({f"{one['package']}@{one['version']}" for one in files.values()})
    command = ["npm", "pack", "--silent", *packages]
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603
    for name, one in files.items():
        with tarfile.open(folder / f"{one['package']}-{one['version']}.tgz") as package:
            member = package.extractfile(f"package/{one['file']}")
            theirs = member.read() if member else b""
        checksum = sha256(theirs).hexdigest()
        if theirs != (FOLDER / name).read_bytes() or checksum != one["sha256"]:
            yield f"{name} is not {one['file']} of {one['package']} {one['version']}: {checksum}"


def main() -> None:
    """Print what differs, and end with an error where anything does."""
    with TemporaryDirectory() as folder:
        found = list(differences(Path(folder)))
    if found:
        sys.exit("\n".join(found))
    print("All files are as npm has them.")


if __name__ == "__main__":
    main()
