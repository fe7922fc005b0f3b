"""The settings of the standalone service: the options of its blueprint, and its own.

A setting is an environment variable (`LANDFORM_` and its name in capitals), or a line of the
settings file in TOML that `LANDFORM_CONFIG` names, or an item of a mapping.
To add one, add a field here, or to `service/options.py` if hosts have it too.
`python docs/settings_tables.py` prints the tables of docs/settings.md.
"""

import os
import stat
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from typing import Any

from landform.parts import all_parts
from landform.parts.option import FLAG, OptionError, choice, option, options_of, seconds, whole
from landform.service.options import IN_MEMORY, NO_MEMORY, Options

PREFIX = "LANDFORM_"
CONFIG = f"{PREFIX}CONFIG"
# Variables that are no settings: the file itself, and one of the examples. Parts add theirs.
KNOWN = frozenset({"CONFIG", "KEY"})
# A shorter secret is a warning.
MIN_SECRET_LENGTH = 12
# The sources of values, beside a file.
DEFAULT, ENVIRONMENT, PYTHON = "default", "environment", "Python"
# The settings that gunicorn's master has read for its workers, with the variables at that time.
preloaded: list[tuple[dict[str, str], "Settings"]] = []


class SettingError(ValueError):
    """An invalid setting. The message names it, and never contains its value."""


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
        True,
        FLAG,
        "`0`: only `landform deliver` does [background work](operations.md#background-work)",
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
        """Convert the values, and check the package that metrics need."""
        super().__post_init__()
        # A proxy forwards requests of other machines, and not every one says so.
        object.__setattr__(self, "local_mode", not self.trusted_proxies)
        if self.metrics and find_spec("prometheus_client") is None:
            problem = "needs the package prometheus-client (extra `metrics` of landform)"
            raise OptionError("metrics", f"{problem}, which is not installed")


@cache
def all_settings() -> dict[str, Field[Any]]:
    """Return every setting by name: the options of the service, and of its parts."""
    options = dict[str, Field[Any]]()
    for name, declared in options_of(Settings).items():
        options[name] = declared
        if name == "parts":
            of_parts = (options_of(part).values() for part in all_parts().values())
            options |= {item.metadata["setting"]: item for items in of_parts for item in items}
    return {name.upper(): item for name, item in options.items() if item.metadata["meaning"]}


def read_settings(values: Mapping[str, object] | None = None) -> Settings:
    """Return the settings of a mapping, or else of the environment and the settings file.

    Those that are `preloaded` are not read again. Raises `SettingError` for an invalid value, and
    for an unknown name in the mapping or the file.
    """
    if values is None and preloaded and preloaded[0][0] == _variables():
        return preloaded[0][1]
    sources = find_values(values)
    try:
        settings = _make_settings({name.lower(): value for name, (value, _) in sources.items()})
        if values is None and settings.database_url == IN_MEMORY:
            raise OptionError("database_url", NO_MEMORY)
    except OptionError as error:
        name = error.name.upper()
        source, places = sources[name][1], {PYTHON: name, ENVIRONMENT: PREFIX + name}
        called = places.get(source, f"{source}: {error.name}")
        raise SettingError(f"{called} {error.problem}.") from None
    return settings


def find_values(mapping: Mapping[str, object] | None = None) -> dict[str, tuple[Any, str]]:
    """Return the values that are given, as in `read_settings`, each with its source, by name."""
    if mapping is not None:
        _check_names(mapping, all_settings(), "")
        return {name: (value, PYTHON) for name, value in mapping.items()}
    path = os.environ.get(CONFIG, "")
    values = {name: (value, path) for name, value in _read_file(path).items()}
    for name in all_settings():
        if (text := os.environ.get(PREFIX + name)) is not None:
            values[name] = text, ENVIRONMENT
    return values


def _make_settings(values: dict[str, Any]) -> Settings:
    """Return the settings with their parts. The values of parts are removed from `values`."""
    parts = []
    for part in all_parts().values():
        names = {option.metadata["setting"]: name for name, option in options_of(part).items()}
        options = {names[name]: values.pop(name) for name in names.keys() & values.keys()}
        parts.append(part(**options))
    return Settings(**values, parts=tuple(parts))


def preload_settings() -> Settings:
    """Read the settings again, for this process and its future children."""
    preloaded.clear()
    settings = read_settings()
    preloaded.append((_variables(), settings))
    return settings


def _variables() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name.startswith(PREFIX)}


def _read_file(path: str) -> dict[str, object]:
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
    _check_names(table, [name.lower() for name in all_settings()], f"{path}: ")
    return {name.upper(): value for name, value in table.items()}


def _check_names(names: Iterable[str], known: Collection[str], where: str) -> None:
    for name in sorted(set(names).difference(known)):
        raise SettingError(_unknown(f"{where}{name}", name.lower() if where else name, known))


def warnings() -> Iterator[str]:
    """Yield warnings: of unknown variables, short secrets, and a file that everybody can read.

    Raises as `read_settings` does.
    """
    # Compared without the prefix, which would make any two names similar.
    names = KNOWN.union(all_settings(), *(part.variables for part in all_parts().values()))
    for variable in sorted(_variables()):
        name = variable.removeprefix(PREFIX)
        if name not in names:
            yield _unknown(variable, name, names, PREFIX)
    credentials = read_settings().credentials or {}
    if short := [name for name, secret in credentials.items() if len(secret) < MIN_SECRET_LENGTH]:
        called = f"The secret of {', '.join(short)} in {PREFIX}CREDENTIALS"
        yield f"{called} can be guessed: it has fewer than {MIN_SECRET_LENGTH} characters."
    path = os.environ.get(CONFIG, "")
    if path and stat.S_IMODE(os.stat(path).st_mode) & stat.S_IROTH:
        kinds = {name: option.metadata["kind"] for name, option in all_settings().items()}
        secret = [name.lower() for name in _read_file(path) if kinds[name].hide]
        if secret:
            listed = ", ".join(secret)
            yield f"Every user of this machine can read {listed} in {path}: `chmod o= {path}`."


def _unknown(called: str, name: str, names: Iterable[str], prefix: str = "") -> str:
    """Return the message for an unknown setting, with the most similar name."""
    similar = get_close_matches(name, sorted(names), 1)
    hint = f"; did you mean {prefix}{similar[0]}?" if similar else "."
    return f"{called} is not a setting of landform{hint}"
