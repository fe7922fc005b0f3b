"""Where the values of settings come from: the environment, a settings file, or their defaults.

The settings file is TOML, named by `LANDFORM_CONFIG`; a variable of the environment has priority
over it. What the settings are `standalone/settings.py` says.
"""

import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from landform.service.option_kinds import Option

PREFIX = "LANDFORM_"
CONFIG = f"{PREFIX}CONFIG"
# Variables that are no settings: the file itself, and what commands and examples read.
KNOWN = frozenset({CONFIG, f"{PREFIX}KEY", f"{PREFIX}WORDPRESS_PASSWORD"})
DEFAULT, ENVIRONMENT, PYTHON = "default", "environment", "Python"
Declared = Mapping[str, Option]


class SettingError(ValueError):
    """A setting that cannot be used. The message names it, and never shows its value."""


class Given(NamedTuple):
    """The value of a setting as it was given, and where."""

    value: object
    source: str


def find(declared: Declared, environ: Mapping[str, str]) -> dict[str, Given]:
    """Return every setting that is given. Raises `SettingError` for a file that cannot be used."""
    path = environ.get(CONFIG, "")
    found = {name: Given(value, path) for name, value in read_file(path, declared).items()}
    for name in declared:
        if (variable := PREFIX + name) in environ:
            found[name] = Given(environ[variable], ENVIRONMENT)
    return found


def read_file(path: str, declared: Declared) -> dict[str, object]:
    """Return the values in a settings file, by the names of their settings in capitals."""
    if not path:
        return {}
    try:
        with open(path, "rb") as opened:
            table = tomllib.load(opened)
    except FileNotFoundError:
        raise SettingError(f"There is no settings file {path}.") from None
    except OSError as error:
        raise SettingError(f"The settings file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise SettingError(f"The settings file {path} is not valid TOML: {error}.") from None
    names = [name.lower() for name in declared]
    for name in table:
        if name not in names:
            raise SettingError(f"{path}: {name} is not a setting{nearest(name.lower(), names)}")
    return {name.upper(): value for name, value in table.items()}


def warnings(declared: Declared, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield what is probably a mistake: a variable that is no setting, a file that shows secrets.

    Used after `find`.
    """
    # Compared without what all of them begin with, which would make any two alike.
    names = {name.removeprefix(PREFIX) for name in KNOWN} | declared.keys()
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name not in names:
            yield f"{variable} is not a setting of landform{nearest(name, names, PREFIX)}"
    path = environ.get(CONFIG, "")
    if path and stat.S_IMODE(os.stat(path).st_mode) & stat.S_IROTH:
        secret = [name.lower() for name in read_file(path, declared) if declared[name].kind.hide]
        if secret:
            what = ", ".join(secret)
            yield f"Every user of this machine can read {what} in {path}: `chmod o= {path}`."


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """Return which of the names somebody probably meant, as the end of a sentence."""
    close = get_close_matches(name, sorted(names), 1)
    return f"; did you mean {prefix}{close[0]}?" if close else "."


def place(name: str, source: str) -> str:
    """Return what a setting is called where its value came from, for the start of a sentence."""
    if source == PYTHON:
        return name
    return f"{PREFIX}{name}" if source == ENVIRONMENT else f"{source}: {name.lower()}"
