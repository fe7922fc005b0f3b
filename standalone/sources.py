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

from landform.service.option_kinds import Option, OptionError

PREFIX = "LANDFORM_"
CONFIG = f"{PREFIX}CONFIG"
# Variables that are no settings: the file itself, and what commands and examples read.
KNOWN = frozenset({CONFIG, f"{PREFIX}KEY", f"{PREFIX}WORDPRESS_PASSWORD"})
DEFAULT, ENVIRONMENT = "default", "environment"
Declared = Mapping[str, Option]


class SettingError(ValueError):
    """A setting that cannot be used. The message names it, and never shows its value."""


class Found(NamedTuple):
    """The value of a setting, where it came from, and what is wrong with it."""

    value: object
    source: str
    problem: str = ""


def find(declared: Declared, environ: Mapping[str, str]) -> dict[str, Found]:
    """Return every setting by name. Raises `SettingError` for a file that cannot be used."""
    path = environ.get(CONFIG, "")
    in_file = read_file(path, declared) if path else {}
    found = {}
    for name, one in declared.items():
        variable = PREFIX + name
        if variable in environ:
            found[name] = _take(name, one, environ[variable], ENVIRONMENT)
        elif name in in_file:
            found[name] = _take(name, one, in_file[name], path)
        else:
            found[name] = Found(one.default, DEFAULT)
    return found


def read_file(path: str, declared: Declared) -> dict[str, object]:
    """Return the values in a settings file, by the names of their settings in capitals."""
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
    return f"{PREFIX}{name}" if source == ENVIRONMENT else f"{source}: {name.lower()}"


def _take(name: str, one: Option, value: object, source: str) -> Found:
    try:
        return Found(one.kind.take(value), source)
    except OptionError as error:
        return Found(None, source, f"{place(name, source)} {error}.")
