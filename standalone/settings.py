"""Every setting of the standalone service: the options of its blueprint, and its own.

A setting is read from `LANDFORM_` and its name in capitals, from a settings file (see
`standalone/sources.py`), or from a mapping by its name alone.
To add one, add a field here, or to `service/options.py` if a blueprint in a host has it too.
`python docs/settings_tables.py` prints the tables of docs/settings.md.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from landform.standalone import sources
from landform.standalone.sources import DEFAULT, PREFIX, PYTHON, Given, SettingError, nearest

__all__ = [
    "GROUPS", "IN_MEMORY", "NO_MEMORY", "PREFIX", "SETTINGS", "Found", "SettingError", "Settings",
    "check_installed", "find_settings", "read_settings",
]  # fmt: skip

IN_MEMORY = "sqlite:///:memory:"
NO_MEMORY = (
    "cannot be a database in memory: each process would have one of its own, and lose it at its "
    "end. Name a file; sqlite:///:memory: is for tests within one process"
)


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
    metrics: bool = option(False, FLAG, "`1`: serve `/metrics` (needs `landform[metrics]`)")
    log_level: str = option(
        "INFO",
        choice("DEBUG", "INFO", "WARNING", "ERROR"),
        "the least level that is logged; see [`DEBUG`](monitoring.md#debugging)",
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


OWN = {name: one for name, one in _named(Settings).items() if name not in _named(Options)}
GROUPS = {
    "The service": _named(Options),
    "The standalone service only": OWN,
}
SETTINGS = {name: one for group in GROUPS.values() for name, one in group.items()}


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
        values = sources.find(SETTINGS, os.environ)
    else:
        for name in sorted(given.keys() - SETTINGS.keys()):
            raise SettingError(f"{name} is not a setting of landform{nearest(name, SETTINGS)}")
        values = {name: Given(value, PYTHON) for name, value in given.items()}
    return {
        name: _convert(name, one, *values.get(name, Given(one.default, DEFAULT)))
        for name, one in SETTINGS.items()
    }


def _convert(name: str, one: Option, value: object, source: str) -> Found:
    problem = ""
    try:
        value = value if value is one.default else one.kind.convert(value)
    except OptionError as error:
        problem = str(error)
    if name == "DATABASE_URL" and value == IN_MEMORY and source != PYTHON:
        problem = NO_MEMORY
    if problem:
        return Found(None, source, f"{sources.place(name, source)} {problem}.")
    return Found(value, source)


def check_installed(settings: Settings) -> None:
    """Raise `SettingError` where a setting needs a package that is not installed."""
    if settings.metrics and find_spec("prometheus_client") is None:
        raise SettingError(
            f"{PREFIX}METRICS needs the package prometheus-client (`pip install "
            "'landform[metrics]'`), which is not installed."
        )
