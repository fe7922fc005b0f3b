"""Compares the files of others in the console with those that npm has, byte by byte.

`make vendor` runs it. `versions.json` beside them says of which package and version each is. To
take another version, write it there, run this, and take over the files and checksums that it names.

`prosemirror.js` is made of several packages: `vendor/` beside this module has their exact versions,
and what the console takes from them. To make it anew after a change there: `make vendor
ARGS=--write`.
"""

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parents[1] / "parts/console/static/vendor"
SOURCE = Path(__file__).parent / "vendor"
BUNDLE, LICENSES = "prosemirror.js", "prosemirror.LICENSE.txt"


def differences(folder: Path) -> Iterator[str]:
    """Yield what is not as npm has it; the packages are downloaded into a folder."""
    files = json.loads((FOLDER / "versions.json").read_bytes())
    made = bundled(folder / "bundle")
    packages = sorted(
        {f"{one['package']}@{one['version']}" for one in files.values() if "file" in one}
    )
    command = ["npm", "pack", "--silent", *packages]
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603
    for name, one in files.items():
        if "file" in one:
            with tarfile.open(folder / f"{one['package']}-{one['version']}.tgz") as package:
                member = package.extractfile(f"package/{one['file']}")
                theirs = member.read() if member else b""
        else:
            theirs = made[name]
        checksum = sha256(theirs).hexdigest()
        if theirs != (FOLDER / name).read_bytes() or checksum != one["sha256"]:
            yield f"{name} is not as npm has it: {checksum}"


def bundled(folder: Path) -> dict[str, bytes]:
    """Return the file that is made of several packages, and their licenses; made in a folder."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules"))
    install = "npm ci --ignore-scripts --no-audit --no-fund --silent"
    build = (
        f"node_modules/esbuild/bin/esbuild {BUNDLE} --bundle --minify --format=esm"
        f" --legal-comments=none --log-level=error --outfile=made/{BUNDLE}"
    )
    for command in (install, build):
        subprocess.run(command.split(), cwd=folder, check=True)  # noqa: S603
    # Of all that is in it: not of esbuild, which makes it.
    licenses = {path.read_bytes() for path in folder.glob("node_modules/[!@e]*/LICENSE")}
    return {BUNDLE: (folder / "made" / BUNDLE).read_bytes(), LICENSES: b"\n".join(sorted(licenses))}


def write() -> None:
    """Make the file anew, with its checksums and versions in `versions.json`."""
    with TemporaryDirectory() as folder:
        made = bundled(Path(folder) / "bundle")
    files = json.loads((FOLDER / "versions.json").read_bytes())
    packages = json.loads((SOURCE / "package-lock.json").read_bytes())["packages"]
    versions = {
        path.removeprefix("node_modules/"): one["version"]
        for path, one in packages.items()
        if path and not one.get("optional")
    }
    for name, content in made.items():
        (FOLDER / name).write_bytes(content)
        files[name] = {"packages": versions, "sha256": sha256(content).hexdigest()}
    (FOLDER / "versions.json").write_text(json.dumps(files, indent=2) + "\n")


def main() -> None:
    """Print what differs, and end with an error where anything does; or write the bundle."""
    if "--write" in sys.argv:
        write()
        return
    with TemporaryDirectory() as folder:
        found = list(differences(Path(folder)))
    if found:
        sys.exit("\n".join(found))
    print("All files are as npm has them.")


if __name__ == "__main__":
    main()
