"""Who may read the files of a database: nobody but its owner, since passwords of pages are in it.

SQLite gives the log and the index of the log the mode of the file. What is decided is therefore the
mode of the file; whoever needs a group lets it read and write.
"""

import logging
import os
import stat

from landform.storage.atomic_file import LOGS

log = logging.getLogger("landform")
OWNER_ONLY = 0o600


def create_private(path: str) -> None:
    """Create an empty file that only its owner can read, whatever the umask, if there is none."""
    try:
        os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY))
    except OSError:
        # It is there, or cannot be: SQLite says which.
        return


def private_mode(mode: int, group: bool = False) -> int:
    """Return a mode that lets no other user read, and the group only on purpose.

    On purpose is also what no umask makes: that the group may write.
    """
    owner = mode & stat.S_IRWXU
    if group:
        return owner | (owner & OWNER_ONLY) >> 3
    return owner | (mode & stat.S_IRWXG if mode & stat.S_IWGRP else 0)


def protect(path: str, *, group: bool) -> None:
    """Change the modes of the file and of the logs beside it where they let too many read, or few.

    The log says so. Files of another user, or on a read-only file system, stay as they are.
    """
    real = os.path.realpath(path)
    for name in (real, *(real + suffix for suffix in LOGS)):
        try:
            before = stat.S_IMODE(os.stat(name).st_mode)
            after = private_mode(before, group)
            if after != before:
                os.chmod(name, after)
        except FileNotFoundError:
            continue
        except OSError as error:
            if before & stat.S_IROTH:
                log.warning("Every user can read %s, and it stays so: %s.", path, error.strerror)
        else:
            if before & ~after and name == real:
                log.warning(
                    "Other users could read %s; its mode is %o now. LANDFORM_GROUP_ACCESS=1 lets "
                    "the group read and write it.", path, after,
                )  # fmt: skip
