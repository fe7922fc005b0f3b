"""Every setting of the standalone service: the options of its blueprint, and its own.

A setting is read from `LANDFORM_` and its name in capitals, or else from a settings file in TOML,
which `LANDFORM_CONFIG` names; or from a mapping by its name alone.
To add one, add a field here, or to `service/options.py` if a blueprint in a host has it too.
`python docs/settings_tables.py` prints the tables of docs/settings.md.
"""

import os
import stat
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any, NamedTuple

from landform.service.option_kinds import (
    FLAG,
    POSITIVE_SECONDS,
    Option,
    OptionError,
    choice,
    number,
    option,
    options_of,
    whole,
)
from landform.service.options import Options

PREFIX = "LANDFORM_"
CONFIG = f"{PREFIX}CONFIG"
# Variables that are no settings: the file itself, and what commands and examples read.
KNOWN = frozenset({CONFIG, f"{PREFIX}KEY", f"{PREFIX}WORDPRESS_PASSWORD"})
# With fewer characters a secret is warned of.
LEAST_SECRET = 12
# Where a value came from, if not from a file.
DEFAULT, ENVIRONMENT, PYTHON = "default", "environment", "Python"
IN_MEMORY = "sqlite:///:memory:"
NO_MEMORY = (
    "cannot be a database in memory: each process would have one of its own, and lose it at its "
    "end. Name a file; sqlite:///:memory: is for tests within one process"
)


NO_METRICS = (
    "needs the package prometheus-client (extra `metrics` of landform), which is not installed"
)


class SettingError(ValueError):
    """A setting that cannot be used. The message names it, and never shows its value."""


class Found(NamedTuple):
    """The value of a setting, where it came from, and what is wrong with it."""

    value: object
    source: str
    problem: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings(Options):
    """The settings of one standalone service. It is served below `/wp-json` too."""

    wp_json_paths: bool = field(default=True, init=False)
    root_page: bool = field(default=True, init=False)
    site: bool = option(
        True, FLAG, "`0`: [public pages](site.md) are not served, and links lead elsewhere"
    )
    trusted_proxies: int = option(
        0,
        whole(),
        "how many proxies stand in front; [their `X-Forwarded-*` headers]"
        "(deployment.md#behind-a-proxy) are believed, nobody else's; from `1` on there is no "
        "local mode",
    )
    access_log: str = option(
        "OFF",
        choice("OFF", "ON"),
        "one line per request on standard output",
    )
    log_format: str = option(
        "PLAIN",
        choice("PLAIN", "JSON", "AUTO"),
        "the format of every line that is logged; `AUTO` is plain on a terminal, and JSON "
        "elsewhere",
    )
    slow_query_ms: float = option(
        0,
        number("a number from 0"),
        "log statements that take longer, without their values; `0`: none",
    )
    metrics: bool = option(False, FLAG, "`1`: serve `/metrics` (needs the extra `metrics`)")
    log_level: str = option(
        "INFO",
        choice("DEBUG", "INFO", "WARNING", "ERROR"),
        "the least level that is logged; see [`DEBUG`](monitoring.md#debugging)",
    )
    deliver: bool = option(
        True, FLAG, "`0`: [webhooks](webhooks.md) are delivered by `landform deliver` only"
    )
    workers: int | None = option(None, whole(1), "gunicorn's processes", "the number of cores")
    threads: int = option(
        2,
        whole(1),
        "threads in each process: how many requests it handles at once. None of them waits for "
        "a client",
    )
    head_timeout: float = option(
        10.0, POSITIVE_SECONDS, "how long the head of a request may take; then it is a 408"
    )
    body_timeout: float = option(
        30.0,
        POSITIVE_SECONDS,
        "how long a body may take, or each further 64 KiB of it; then it is a 408",
    )
    send_timeout: float = option(
        30.0,
        POSITIVE_SECONDS,
        "how long a client may take to receive a response, or each further 64 KiB of it; then "
        "the connection is closed",
    )


def _named(declaring: type) -> dict[str, Option]:
    return {name.upper(): one for name, one in options_of(declaring).items() if one.meaning}


SETTINGS = _named(Options) | _named(Settings)
GROUPS = {
    "The service": _named(Options),
    "The standalone service only": {
        name: one for name, one in SETTINGS.items() if name not in _named(Options)
    },
}


def read_settings(given: Mapping[str, object] | None = None) -> Settings:
    """Return every setting: those given by name, or else those of the environment and the file.

    Raises `SettingError` for a value that cannot be used, and for an unknown name among those
    given or in the file.
    """
    found = find_settings(given)
    for one in found.values():
        if one.problem:
            raise SettingError(one.problem)
    values: dict[str, Any] = {name.lower(): one.value for name, one in found.items()}
    return Settings(**values)


def find_settings(given: Mapping[str, object] | None = None) -> dict[str, Found]:
    """Return every setting, as `read_settings` does, with what is wrong with it."""
    if given is None:
        values = _read_file(os.environ.get(CONFIG, ""))
        for name in SETTINGS:
            if (text := os.environ.get(PREFIX + name)) is not None:
                values[name] = Found(text, ENVIRONMENT)
    else:
        values = {name: Found(value, PYTHON) for name, value in given.items()}
        _check_names(values, SETTINGS, "")
    return {
        name: _convert(name, one, values.get(name, Found(one.default, DEFAULT)))
        for name, one in SETTINGS.items()
    }


def _convert(name: str, one: Option, found: Found) -> Found:
    value, source, problem = found
    try:
        value = value if value is one.default else one.kind.convert(value)
    except OptionError as error:
        problem = str(error)
    if name == "DATABASE_URL" and value == IN_MEMORY and source != PYTHON:
        problem = NO_MEMORY
    if name == "METRICS" and value is True and find_spec("prometheus_client") is None:
        problem = NO_METRICS
    if not problem:
        return Found(value, source)
    called = {PYTHON: name, ENVIRONMENT: PREFIX + name}.get(source, f"{source}: {name.lower()}")
    return Found(None, source, f"{called} {problem}.")


def _read_file(path: str) -> dict[str, Found]:
    """Return the values in a settings file, by the names of their settings in capitals."""
    if not path:
        return {}
    try:
        with open(path, "rb") as opened:
            table = tomllib.load(opened)
    except OSError as error:
        raise SettingError(f"The settings file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise SettingError(f"The settings file {path} is not valid TOML: {error}.") from None
    _check_names(table, [name.lower() for name in SETTINGS], f"{path}: ")
    return {name.upper(): Found(value, path) for name, value in table.items()}


def _check_names(names: Iterable[str], known: Collection[str], where: str) -> None:
    for name in sorted(set(names).difference(known)):
        nearest = _nearest(name.lower() if where else name, known)
        raise SettingError(f"{where}{name} is not a setting of landform{nearest}")


def warnings() -> Iterator[str]:
    """Yield what is probably a mistake: an unknown variable, a secret that is short or shown.

    Used after `find_settings`.
    """
    # Compared without what all of them begin with, which would make any two alike.
    names = {name.removeprefix(PREFIX) for name in KNOWN} | SETTINGS.keys()
    for variable in sorted(os.environ):
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name not in names:
            yield f"{variable} is not a setting of landform{_nearest(name, names, PREFIX)}"
    credentials: Any = find_settings()["CREDENTIALS"].value or {}
    if short := [name for name, secret in credentials.items() if len(secret) < LEAST_SECRET]:
        called = f"The secret of {', '.join(short)} in {PREFIX}CREDENTIALS"
        yield f"{called} can be guessed: it has fewer than {LEAST_SECRET} characters."
    path = os.environ.get(CONFIG, "")
    if path and stat.S_IMODE(os.stat(path).st_mode) & stat.S_IROTH:
        secret = [name.lower() for name in _read_file(path) if SETTINGS[name].kind.hide]
        if secret:
            what = ", ".join(secret)
            yield f"Every user of this machine can read {what} in {path}: `chmod o= {path}`."


def _nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """Return which of the names somebody probably meant, as the end of a sentence."""
    close = get_close_matches(name, sorted(names), 1)
    return f"; did you mean {prefix}{close[0]}?" if close else "."
