"""Every setting of the standalone service: the options of its blueprint, and its own.

A setting is read from `LANDFORM_` and its name in capitals, or from a mapping by its name alone.
To add one, add a field here, or to `service/options.py` if a blueprint in a host has it too.
`python -m landform.standalone.settings` prints what docs/settings.md holds.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from landform.service.option_kinds import (
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
from landform.service.options import Limits, Options

PREFIX = "LANDFORM_"
LIMIT = "MAX_"
IN_MEMORY = "sqlite:///:memory:"
NO_MEMORY = (
    "cannot be a database in memory: each process would have one of its own, and lose it at its "
    "end. Name a file; sqlite:///:memory: is for tests within one process"
)


class SettingError(ValueError):
    """A setting that cannot be used. The message names it, and never shows its value."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings(Options):
    """The settings of one standalone service. It is served below `/wp-json` too."""

    wp_json_paths: bool = field(default=True, init=False)
    root_page: bool = field(default=True, init=False)
    trusted_proxies: int = option(
        0,
        whole(),
        "how many proxies stand in front; [their `X-Forwarded-*` headers]"
        "(deployment.md#behind-a-proxy) are believed, nobody else's; from `1` on there is no "
        "local mode",
    )
    access_log: str = option(
        "OFF",
        choice("OFF", "ON", "AUTO", "JSON", "PLAIN"),
        "one line per request on standard output; `AUTO`, `JSON` and `PLAIN` are `ON`, and the "
        "format of all lines where `LANDFORM_LOG_FORMAT` names none",
    )
    log_format: str | None = option(
        None,
        choice("AUTO", "JSON", "PLAIN"),
        "the format of every line that is logged; `AUTO` is plain on a terminal, and JSON "
        "elsewhere",
        "that of `LANDFORM_ACCESS_LOG`, or `PLAIN`",
    )
    slow_query_ms: float = option(
        0, whole(), "log statements that take longer, without their values; `0`: none"
    )
    metrics: bool = option(False, FLAG, "`1`: serve `/metrics` (needs `landform[metrics]`)")
    log_level: str = option(
        "INFO",
        choice("DEBUG", "INFO", "WARNING", "ERROR"),
        "the least level that is logged; [`DEBUG`](monitoring.md#debugging) says how long the "
        "steps of each request took",
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

    @property
    def line_style(self) -> str:
        """The format of the lines of the log: `AUTO`, `JSON` or `PLAIN`."""
        named = self.access_log if self.access_log in ("AUTO", "JSON") else "PLAIN"
        return self.log_format or named


def _named(declaring: type, prefix: str = "") -> dict[str, Option]:
    return {prefix + name.upper(): one for name, one in options_of(declaring).items()}


OWN = {name: one for name, one in _named(Settings).items() if name not in _named(Options)}
GROUPS = {
    "The service": _named(Options),
    "Limits of a request": _named(Limits, LIMIT),
    "The standalone service only": OWN,
}
SETTINGS = {name: one for group in GROUPS.values() for name, one in group.items()}


def read_settings(given: Mapping[str, object] | None = None) -> Settings:
    """Return every setting: those given by name, or else those of `LANDFORM_*` variables.

    Raises `SettingError` for a value that cannot be used and, among those given, for an unknown
    name.
    """
    prefix = PREFIX if given is None else ""
    source: Mapping[str, object] = os.environ if given is None else given
    unknown = sorted(set(given or ()) - set(SETTINGS))
    if unknown:
        raise SettingError(f"{unknown[0]} is not a setting of landform.")
    values = {}
    for name, one in SETTINGS.items():
        try:
            values[name] = _value(one, source.get(prefix + name, one.default))
        except OptionError as error:
            raise SettingError(f"{prefix}{name} {error}.") from None
    if given is None and values["DATABASE_URL"] == IN_MEMORY:
        raise SettingError(f"{PREFIX}DATABASE_URL {NO_MEMORY}.")
    limits = {name: values.pop(LIMIT + name.upper()) for name in options_of(Limits)}
    arguments = {name.lower(): value for name, value in values.items()}
    # Each value is of the type of its field: its kind has read it, or the caller has given it.
    return Settings(limits=Limits(**cast(dict[str, int], limits)), **arguments)  # type: ignore[arg-type]


def _value(one: Option, value: object) -> object:
    if isinstance(value, str) and value is not one.default:
        return one.kind.parse(value)
    if value is not one.default:
        one.kind.check(value)
    return value


def reference() -> str:
    """Return the tables of docs/settings.md, in Markdown."""
    return "\n".join(
        f"## {title}\n\n| variable | default | value | meaning |\n|---|---|---|---|\n"
        + "".join(_row(name, one) for name, one in settings.items())
        for title, settings in GROUPS.items()
    )


def _row(name: str, one: Option) -> str:
    default = int(one.default) if isinstance(one.default, bool) else one.default
    shown = one.shown or ("none" if default in (None, (), "") else f"`{_plain(default)}`")
    wanted = "" if one.kind is TEXT else one.kind.wanted
    return f"| `{PREFIX}{name}` | {shown} | {wanted} | {one.meaning} |\n"


def _plain(default: object) -> str:
    return f"{default:g}" if isinstance(default, float) else str(default)


if __name__ == "__main__":
    print(reference(), end="")
