"""Options: the fields of a dataclass, each with the values that it may have, and its meaning.

The core (`service/options.py`) and the parts declare their options with these functions.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeVar

from landform.parts.http_urls import parse_url

T = TypeVar("T")


class OptionError(ValueError):
    """An invalid value of an option. The message never contains the value."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name.replace('_', ' ')} {problem}")
        self.name, self.problem = name, problem


class Kind(NamedTuple):
    """The values of an option: their description, reading, and hiding of secrets.

    `read` accepts a text, a value of Python or TOML, and its own results.
    """

    description: str
    read: Callable[[Any], Any]
    hide: Callable[[Any], str] | None = None


def option(default: T, kind: Kind, meaning: str = "", *, setting: str = "") -> T:
    """Return the field of an option; without `meaning` it is for hosts, not a setting.

    `setting`: the name of the setting of a part's option, in lower case.
    """
    return field(default=default, metadata={"kind": kind, "meaning": meaning, "setting": setting})


def options_of(declaring: type) -> dict[str, Field[Any]]:
    """Return the fields of a dataclass that are options, by name."""
    return {item.name: item for item in fields(declaring) if item.metadata}


def convert_options(options: object) -> None:
    """Convert each value that is not the default; raises `OptionError` for an invalid one."""
    for name, declared in options_of(type(options)).items():
        value, kind = getattr(options, name), declared.metadata["kind"]
        try:
            converted = value if value is declared.default else kind.read(value)
        except (ValueError, TypeError, LookupError, AttributeError, OSError):
            setting = declared.metadata.get("setting")
            raise OptionError(setting or name, f"must be {kind.description}") from None
        object.__setattr__(options, name, converted)


def number(description: str, type_: type, minimum: float = 0, maximum: float = inf) -> Kind:
    """Return the kind of numbers of a type within bounds."""

    def read(value: object) -> object:
        if isinstance(value, bool) or (isinstance(value, float) and type_ is int):
            raise TypeError
        converted = type_(value)
        if not minimum <= converted <= maximum:
            raise ValueError
        return converted

    bounds = f"from {minimum}" + (f" to {maximum}" if maximum < inf else "")
    return Kind(f"{description} {bounds}", read)


whole = partial(number, "a whole number", int)
seconds = partial(number, "a number of seconds", float, maximum=3600)


def choice(*choices: str) -> Kind:
    """Return the kind of one of several words, written in any case."""
    by_name = {name: name for name in choices}
    return Kind(f"one of {', '.join(choices)}", lambda value: by_name[value.upper()])


def matching(description: str, pattern: str) -> Kind:
    """Return the kind of texts that match a pattern."""
    return Kind(description, lambda value: re.fullmatch(pattern, value)[0])  # type: ignore[index]


FLAGS = {"": False, "0": False, "1": True, False: False, True: True}
FLAG = Kind("0 or 1", lambda value: FLAGS[value])
TEXT = matching("a text", "(?s).*")


def _origins(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        raise TypeError
    texts = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(_origin(text.strip()) for text in texts if text.strip()))


def _origin(text: str) -> str:
    """Return an origin as browsers send it: lower case, Punycode, no default port."""
    url = parse_url(text)
    if url.target != "/" or text.endswith("/") or url.host.endswith("."):
        raise ValueError
    return f"{'https' if url.is_secure else 'http'}://{url.authority}"


ORIGINS = Kind("origins such as https://example.com, separated by commas", _origins)
