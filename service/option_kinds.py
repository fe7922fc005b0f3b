"""How an option is declared: its default, the values that it may have, and what it is for.

Needs nothing but the standard library, so that reading settings imports no web framework.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

T = TypeVar("T")


class OptionError(ValueError):
    """A value that an option cannot have. The message says what it must be, never what it was."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name.replace('_', ' ')} {problem}")
        self.name, self.problem = name, problem


class Kind(NamedTuple):
    """The values of an option: in words, how they are read, and how secrets in them are hidden.

    `read` takes a text, or a value of Python or TOML, and what it returns it takes as well.
    """

    wanted: str
    read: Callable[[Any], Any]
    hide: Callable[[Any], str] | None = None


class Option(NamedTuple):
    """The declaration of an option; one without a meaning is for hosts only, and no setting."""

    default: object
    kind: Kind
    meaning: str = ""


def option(default: T, kind: Kind, meaning: str = "") -> T:
    """Return the field of a dataclass that is an option with this default."""
    return field(default=default, metadata={"option": Option(default, kind, meaning)})


def options_of(declaring: type) -> dict[str, Option]:
    """Return the options that a dataclass declares, by the names of their fields."""
    return {
        one.name: one.metadata["option"] for one in fields(declaring) if "option" in one.metadata
    }


def number(wanted: str, type_: type, least: float = 0, most: float = inf) -> Kind:
    """Return the kind of numbers of a type within bounds."""

    def read(value: object) -> object:
        if isinstance(value, bool) or (isinstance(value, float) and type_ is int):
            raise TypeError
        found = type_(value)
        if not least <= found <= most:
            raise ValueError
        return found

    return Kind(f"{wanted} from {least}" + (f" to {most}" if most < inf else ""), read)


whole = partial(number, "a whole number", int)
seconds = partial(number, "a number of seconds", float, most=3600)


def choice(*choices: str) -> Kind:
    """Return the kind of one of several words, in capitals; they are read in any case."""
    by_name = {name: name for name in choices}
    return Kind(f"one of {', '.join(choices)}", lambda value: by_name[value.upper()])


def matching(wanted: str, pattern: str) -> Kind:
    """Return the kind of texts that match a pattern."""
    return Kind(wanted, lambda value: re.fullmatch(pattern, value)[0])  # type: ignore[index]


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


def _url(text: str) -> str | None:
    url = urlsplit(text)
    if text and (url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc):
        raise ValueError
    if not text.isprintable() or " " in text:
        raise ValueError
    return text.rstrip("/") or None


def _credentials(value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        parts = [pair.partition(":") for pair in value.split(",")] if value.strip() else []
        pairs = [(name.strip(), secret.strip()) for name, _, secret in parts]
    found = dict(pairs)
    if len(found) < len(pairs) or not all(found.values()):
        raise ValueError
    if not all(name and ":" not in name for name in found):
        raise ValueError
    # What is no Unicode nobody can send.
    "".join((*found, *found.values())).encode()
    return found


def _origins(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        raise TypeError
    parts = value.split(",") if isinstance(value, str) else value
    origins = tuple(part.strip() for part in parts if part.strip())
    if not all(re.fullmatch(r"https?://[^/\s*]+", origin) for origin in origins):
        raise ValueError
    return origins


def _folder(value: str | Path) -> str | None:
    if value and not Path(value).is_dir():
        raise ValueError
    return str(value) or None


def _without_password(url: str) -> str:
    """Return the URL of a database with whatever may be a password replaced."""
    url = re.sub(r"^([^:]*://[^:/?@]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&][a-z_]*password=)[^&]*", r"\1***", url)


FLAGS = {"": False, "0": False, "1": True, False: False, True: True}
TEXT = matching("a text", "(?s).*")
DATABASE = Kind(
    "a URL such as sqlite:///landform.db or postgresql://user@host/name",
    matching("", "(sqlite:///|postgres(ql)?://)[^\0]+").read,
    hide=_without_password,
)
FLAG = Kind("0 or 1", lambda value: FLAGS[value])
TIMEZONE = Kind(
    "a time zone of the IANA database, such as Europe/Paris",
    lambda value: ZoneInfo(TEXT.read(value)).key,
)
URL = Kind("an absolute http or https URL without a user or password", _url)
CREDENTIALS = Kind(
    "name:secret, several separated by commas, no name twice",
    _credentials,
    hide=lambda found: ",".join(f"{name}:***" for name in found or ()),
)
ORIGINS = Kind("origins such as https://example.com, separated by commas", _origins)
IDENTITY = Kind(
    "the 32 digits that `landform migrate --identity` prints",
    lambda value: matching("", "([0-9a-f]{32})?").read(value) or None,
)
HEADER = matching("the value of a header, in ASCII", "[ -~]*")
LANGUAGE = matching("a language tag such as en or pt-BR", "[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
SLUG = matching("a slug such as summer-sale", "[%a-z0-9_-]{1,200}")
FOLDER = Kind("a folder that is there", _folder)
FUNCTION = Kind("a function of the request", _function)
