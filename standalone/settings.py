"""Every setting of the standalone service: the options of its blueprint, and its own.

A setting is read from `LANDFORM_` and its name in capitals, from a settings file (see
`standalone/sources.py`), or from a mapping by its name alone.
To add one, add a field here, or to `service/options.py` if a blueprint in a host has it too.
`python -m landform.standalone.settings` prints what docs/settings.md holds.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from landform.service.option_kinds import (
    DATABASE,
    FLAG,
    POSITIVE_SECONDS,
    TEXT,
    Option,
    OptionError,
    choice,
    option,
    options_of,
    whole,
)
from landform.service.options import Options
from landform.standalone import sources
from landform.standalone.sources import PREFIX, Found, SettingError, nearest

__all__ = [
    "GROUPS", "IN_MEMORY", "NO_MEMORY", "PREFIX", "SETTINGS", "SettingError", "Settings",
    "check_installed", "default_text", "find_settings", "read_settings", "reference", "text_of",
]  # fmt: skip

IN_MEMORY = "sqlite:///:memory:"
NO_MEMORY = (
    "cannot be a database in memory: each process would have one of its own, and lose it at its "
    "end. Name a file; sqlite:///:memory: is for tests within one process"
)


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
        replace(whole(), types=(int, float)),
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


def _named(declaring: type, prefix: str = "") -> dict[str, Option]:
    return {prefix + name.upper(): one for name, one in options_of(declaring).items()}


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
    found = find_settings() if given is None else _given(given)
    for one in found.values():
        if one.problem:
            raise SettingError(one.problem)
    values = {name: one.value for name, one in found.items()}
    arguments = {name.lower(): value for name, value in values.items()}
    # Each value is of the type of its field: its kind has read it, or the caller has given it.
    return Settings(**arguments)  # type: ignore[arg-type]


def find_settings() -> dict[str, Found]:
    """Return every setting of the environment and the file, with what is wrong with it.

    Raises `SettingError` for a file that cannot be used.
    """
    found = sources.find(SETTINGS, os.environ)
    database = found["DATABASE_URL"]
    if database.value == IN_MEMORY:
        called = sources.place("DATABASE_URL", database.source)
        found["DATABASE_URL"] = Found(None, database.source, f"{called} {NO_MEMORY}.")
    return found


def _given(given: Mapping[str, object]) -> dict[str, Found]:
    for name in sorted(given.keys() - SETTINGS.keys()):
        raise SettingError(f"{name} is not a setting of landform{nearest(name, SETTINGS)}")
    return {name: _checked(name, one, given) for name, one in SETTINGS.items()}


def _checked(name: str, one: Option, given: Mapping[str, object]) -> Found:
    value = given.get(name, one.default)
    try:
        if isinstance(value, str) and value is not one.default:
            value = one.kind.parse(value)
        elif value is not one.default:
            one.kind.check(value)
    except OptionError as error:
        return Found(None, "", f"{name} {error}.")
    return Found(value, "")


def check_installed(settings: Settings) -> None:
    """Raise `SettingError` where a setting needs a package that is not installed."""
    if settings.metrics and find_spec("prometheus_client") is None:
        raise SettingError(
            f"{PREFIX}METRICS needs the package prometheus-client (`pip install "
            "'landform[metrics]'`), which is not installed."
        )


def reference() -> str:
    """Return the tables of docs/settings.md, in Markdown."""
    return "\n".join(
        f"## {title}\n\n| variable | default | value | meaning |\n|---|---|---|---|\n"
        + "".join(_row(name, one) for name, one in settings.items())
        for title, settings in GROUPS.items()
    )


def _row(name: str, one: Option) -> str:
    default = default_text(one)
    shown = default if default in ("none", one.shown) else f"`{default}`"
    wanted = "" if one.kind in (TEXT, DATABASE) else one.kind.wanted
    return f"| `{PREFIX}{name}` | {shown} | {wanted} | {one.meaning} |\n"


def default_text(one: Option) -> str:
    """Return the default of a setting, in words where a value says little."""
    return one.shown or text_of(one.default)


def text_of(value: object) -> str:
    """Return a value as it is written in a variable; `none` for one that is empty."""
    if value in (None, (), ""):
        return "none"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    print(reference(), end="")
