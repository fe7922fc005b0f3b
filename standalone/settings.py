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
from typing import Any

from landform.parts import all_parts
from landform.service.options import (
    FLAG,
    IN_MEMORY,
    NO_MEMORY,
    OptionError,
    Options,
    choice,
    option,
    options_of,
    seconds,
    whole,
)

PREFIX = "LANDFORM_"
CONFIG = f"{PREFIX}CONFIG"
# Variables that are no settings: of the file itself, and of examples. Parts have others.
KNOWN = frozenset({"CONFIG", "KEY"})
# With fewer characters a secret is warned of.
LEAST_SECRET = 12
# Where a value came from, if not from a file.
DEFAULT, ENVIRONMENT, PYTHON = "default", "environment", "Python"
# The settings file as the master of a service has read it, for its workers, by its path.
preloaded: dict[str, dict[str, object]] = {}


class SettingError(ValueError):
    """A setting that cannot be used. The message names it, and never shows its value."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings(Options):
    """The settings of one standalone service. It is served below `/wp-json` too."""

    database_url: str = field(
        default="sqlite:///landform.db", metadata=options_of(Options)["database_url"].metadata
    )
    wp_json_paths: bool = field(default=True, init=False)
    root_page: bool = field(default=True, init=False)
    site: bool = option(
        True, FLAG, "`0`: [public pages](site.md) are not served, and links lead elsewhere"
    )
    console: bool = option(True, FLAG, "`0`: there is no [console](console.md)")
    trusted_proxies: int = option(
        0,
        whole(),
        "how many proxies stand in front, [whose `X-Forwarded-*` headers]"
        "(deployment.md#behind-a-proxy) are believed; from `1` on there is no local mode",
    )
    access_log: str = option("OFF", choice("OFF", "ON"), "one line per request on standard output")
    log_format: str = option("PLAIN", choice("PLAIN", "JSON"), "the format of the logs")
    metrics: bool = option(False, FLAG, "`1`: serve `/metrics` (needs the extra `metrics`)")
    log_level: str = option(
        "INFO",
        choice("DEBUG", "INFO", "WARNING", "ERROR"),
        "the lowest level that is logged; see [`DEBUG`](monitoring.md#debugging)",
    )
    deliver: bool = option(
        True, FLAG, "`0`: `landform deliver` sends [webhooks](webhooks.md) and publishes due pages"
    )
    workers: int | None = option(None, whole(1), "gunicorn's processes, if not one per core")
    threads: int = option(
        2, whole(1), "threads of each process: how many requests it handles at once"
    )
    client_timeout: float = option(
        30.0,
        seconds(0.001),
        "how long [a slow client](deployment.md#slow-clients) may take for a request or response, "
        "or for 64 KiB of it",
    )

    def __post_init__(self) -> None:
        """Convert the values, and check what metrics need."""
        super().__post_init__()
        if self.metrics and find_spec("prometheus_client") is None:
            problem = "needs the package prometheus-client (extra `metrics` of landform)"
            raise OptionError("metrics", f"{problem}, which is not installed")


SETTINGS = {
    name.upper(): one for name, one in options_of(Settings).items() if one.metadata["meaning"]
}


def read_settings(given: Mapping[str, object] | None = None) -> Settings:
    """Return every setting: those given by name, or else those of the environment and the file.

    Raises `SettingError` for a value that cannot be used, and for an unknown name among those
    given or in the file.
    """
    return find_settings(given)[0]


def find_settings(given: Mapping[str, object] | None = None) -> tuple[Settings, dict[str, str]]:
    """Return the settings, as `read_settings`, and where each came from that was set at all."""
    layers: list[tuple[str, Mapping[str, Any]]]
    if given is None:
        path = os.environ.get(CONFIG, "")
        set_here = {one: os.environ[PREFIX + one] for one in SETTINGS if PREFIX + one in os.environ}
        layers = [(path, _read_file(path)), (ENVIRONMENT, set_here)]
    else:
        _check_names(given, SETTINGS, "")
        layers = [(PYTHON, given)]
    values = {name.lower(): value for _, layer in layers for name, value in layer.items()}
    sources = {name: source for source, layer in layers for name in layer}
    try:
        settings = Settings(**values)
        if given is None and settings.database_url == IN_MEMORY:
            raise OptionError("database_url", NO_MEMORY)
    except OptionError as error:
        name = error.name.upper()
        places = {PYTHON: name, ENVIRONMENT: PREFIX + name}
        called = places.get(sources[name], f"{sources[name]}: {error.name}")
        raise SettingError(f"{called} {error.problem}.") from None
    return settings, sources


def preload_settings() -> Settings:
    """Read the settings file anew, for this process and those that it will start.

    Raises `SettingError` where it cannot be used; then all stays as it was.
    """
    before = preloaded.copy()
    try:
        preloaded.clear()
        path = os.environ.get(CONFIG, "")
        preloaded[path] = _read_file(path)
        return read_settings()
    except SettingError:
        preloaded.clear()
        preloaded.update(before)
        raise


def _read_file(path: str) -> dict[str, object]:
    """Return the values in a settings file, by the names of their settings in capitals."""
    if not path:
        return {}
    if path in preloaded:
        return preloaded[path]
    try:
        with open(path, "rb") as opened:
            table = tomllib.load(opened)
    except OSError as error:
        raise SettingError(f"The settings file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise SettingError(f"The settings file {path} is not valid TOML: {error}.") from None
    _check_names(table, [name.lower() for name in SETTINGS], f"{path}: ")
    return {name.upper(): value for name, value in table.items()}


def _check_names(names: Iterable[str], known: Collection[str], where: str) -> None:
    for name in sorted(set(names).difference(known)):
        raise SettingError(_unknown(f"{where}{name}", name.lower() if where else name, known))


def warnings() -> Iterator[str]:
    """Yield what is probably a mistake: an unknown variable, a secret that is short or shown.

    Raises as `read_settings` does.
    """
    # Compared without what all of them begin with, which would make any two alike.
    names = KNOWN.union(SETTINGS, *(part.variables for part in all_parts().values()))
    for variable in sorted(os.environ):
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name not in names:
            yield _unknown(variable, name, names, PREFIX)
    credentials = read_settings().credentials or {}
    if short := [name for name, secret in credentials.items() if len(secret) < LEAST_SECRET]:
        called = f"The secret of {', '.join(short)} in {PREFIX}CREDENTIALS"
        yield f"{called} can be guessed: it has fewer than {LEAST_SECRET} characters."
    path = os.environ.get(CONFIG, "")
    if path and stat.S_IMODE(os.stat(path).st_mode) & stat.S_IROTH:
        secret = [name.lower() for name in _read_file(path) if SETTINGS[name].metadata["kind"].hide]
        if secret:
            what = ", ".join(secret)
            yield f"Every user of this machine can read {what} in {path}: `chmod o= {path}`."


def _unknown(called: str, name: str, names: Iterable[str], prefix: str = "") -> str:
    """Return that there is no such setting, and which one somebody probably meant."""
    close = get_close_matches(name, sorted(names), 1)
    meant = f"; did you mean {prefix}{close[0]}?" if close else "."
    return f"{called} is not a setting of landform{meant}"
