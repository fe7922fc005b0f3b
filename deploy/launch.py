"""The first module of the one-file binary: unpack the file once, and run landform.

Python cannot import compiled modules from a zip archive, and gunicorn cannot read a file in it.
"""

import os
import stat
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

NAME = "landform"


def unpacked(archive: Path) -> Path:
    """Return the folder with the content of the archive, unpacked at the first start.

    It is below `$XDG_CACHE_HOME` or `~/.cache`, or else in the temporary folder. Raises `OSError`
    if none of them can be written to.
    """
    digest = sha256(archive.read_bytes()).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(home):
        try:
            return _in(Path(home) / NAME, digest, archive)
        except OSError:
            pass
    return _in(Path(tempfile.gettempdir()) / f"{NAME}-{os.getuid()}", digest, archive)


def _in(root: Path, digest: str, archive: Path) -> Path:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = root.lstat()
    # Another user who can write there could make this user run any code.
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise PermissionError(f"{root} is not a folder that only this user can write to")
    folder = root / digest
    if not folder.exists():
        unpacking = Path(tempfile.mkdtemp(dir=root))
        with zipfile.ZipFile(archive) as file:
            file.extractall(unpacking)
        try:
            unpacking.rename(folder)
        except OSError:
            # Another process was faster.
            rmtree(unpacking)
            if not folder.exists():
                raise
    return folder


def main() -> None:
    """Run the command `landform` from the unpacked folder."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older one gets as far as this
        raise SystemExit(f"Error: {NAME} needs Python 3.11 or newer; this is {sys.version}.")
    try:
        folder = str(unpacked(Path(sys.argv[0]).resolve()))
    except OSError as error:
        raise SystemExit(
            f"Error: {NAME} finds no place to unpack itself ({error}). "
            "Set XDG_CACHE_HOME to a folder that it can write to."
        ) from error
    sys.path[0] = folder
    from landform.standalone.__main__ import main as run  # noqa: PLC0415 - it is there only now

    run()


if __name__ == "__main__":
    main()
