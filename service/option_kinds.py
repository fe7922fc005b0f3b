"""How an option is declared: its default, the values that it may have, and what it is for.

Needs nothing but the standard library, so that reading settings imports no web framework.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class OptionError(ValueError):
    """A value that an option cannot have. The message says what it must be, never what it was."""


@dataclass(frozen=True)
class Kind(Generic[T_co]):
    """The values of an option: in words, as they are read from text, and their bounds."""

    wanted: str
    read: Callable[[str], T_co]
    least: float = -inf
    most: float = inf
    # The types that a settings file may give it in, beside a text.
    native: tuple[type, ...] = ()
    # How a value that holds a secret is shown.
    hide: Callable[[Any], str] | None = None
    # The types that Python code gives it in, what tells whether such a value is one (a text is read
    # for that), and what it has to be, in words, where that is another thing than in text.
    types: tuple[type, ...] = (str,)
    is_one: Callable[[Any], bool] | None = None
    given: str = ""

    def take(self, value: object) -> T_co:
        """Return the value that a text, or what a settings file holds, stands for."""
        text = value if isinstance(value, str) else self._text(value)
        if text is None:
            raise OptionError(f"must be {self.wanted}")
        return self.parse(text)

    def _text(self, value: object) -> str | None:
        """Return a value of a settings file as the text that means the same; None for no value."""
        if type(value) not in self.native:
            return None
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, dict):
            return _joined(value)
        if isinstance(value, list):
            return ",".join(value) if all(isinstance(item, str) for item in value) else None
        return str(value)

    def parse(self, text: str) -> T_co:
        """Return the value that a text stands for. Raises `OptionError`."""
        try:
            value = self.read(text)
            self._check_bounds(value)
        except (ValueError, KeyError, OSError):
            raise OptionError(f"must be {self.wanted}") from None
        return value

    def check(self, value: object) -> None:
        """Raise `OptionError` for a value that Python code gives, where it cannot be one."""
        try:
            is_one = self._has_type(value) and (self.is_one or self._is_readable)(value)
        except (ValueError, KeyError, OSError):
            is_one = False
        if not is_one:
            raise OptionError(f"must be {self.given or self.wanted}")
        self._check_bounds(value)

    def _has_type(self, value: object) -> bool:
        return isinstance(value, self.types) and (type(value) is not bool or bool in self.types)

    def _is_readable(self, value: object) -> bool:
        return not isinstance(value, str) or self.read(value) in (value, None)

    def _check_bounds(self, value: object) -> None:
        if isinstance(value, (int, float)) and not self.least <= value <= self.most:
            most = f" and at most {self.most:g}" if self.most < inf else ""
            raise OptionError(f"must be at least {self.least:g}{most}")


@dataclass(frozen=True)
class Option:
    """The declaration of an option. `shown` is its default in words, where a value says little."""

    default: object
    kind: Kind[object]
    meaning: str
    shown: str = ""


def option(default: T, kind: Kind[T], meaning: str, shown: str = "") -> T:
    """Return the field of a dataclass that is an option with this default."""
    declared = Option(default, kind, meaning, shown)
    return field(default=default, metadata={"option": declared})


def options_of(declaring: type) -> dict[str, Option]:
    """Return the options that a dataclass declares, by the names of their fields."""
    return {
        one.name: one.metadata["option"] for one in fields(declaring) if "option" in one.metadata
    }


def check_options(given: object) -> None:
    """Raise `OptionError`, with its name, for an option of such a dataclass that cannot be used."""
    for name, declared in options_of(type(given)).items():
        if (value := getattr(given, name)) is not declared.default:
            check_option(name, declared.kind, value)


def check_option(name: str, kind: Kind[object], value: object) -> None:
    """Raise `OptionError`, with the name of the option, for a value that it cannot have."""
    try:
        kind.check(value)
    except OptionError as error:
        raise OptionError(f"{name.replace('_', ' ')} {error}") from None


def _joined(table: Mapping[str, object]) -> str | None:
    """Return names and values as `name:value,...`; None where that would mean something else."""
    pairs = [f"{name}:{value}" for name, value in table.items() if isinstance(value, str)]
    if len(pairs) < len(table) or any(":" in name for name in table) or "," in "".join(pairs):
        return None
    return ",".join(pairs)


def whole(least: int = 0, most: float = inf) -> Kind[int]:
    """Return the kind of whole numbers within bounds."""
    end = f", at most {most}" if most < inf else ""
    return Kind(f"a whole number from {least}{end}", int, least, most, (int,), types=(int,))


def seconds(least: float = 0, most: float = 3600) -> Kind[float]:
    """Return the kind of numbers of seconds within bounds."""
    wanted = f"a number of seconds from {least:g} to {most:g}"
    return Kind(wanted, float, least, most, (int, float), types=(int, float))


def choice(*choices: str) -> Kind[str]:
    """Return the kind of one of several words, in capitals; they are read in any case."""
    by_name = {name: name for name in choices}
    return Kind(f"one of {', '.join(choices)}", lambda text: by_name[text.upper()])


def _timezone(text: str) -> str:
    return ZoneInfo(text).key


def _url(text: str) -> str | None:
    url = urlsplit(text)
    if text and (url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc):
        raise ValueError
    if not text.isprintable() or " " in text:
        raise ValueError
    return text or None


def _credentials(text: str) -> dict[str, str]:
    pairs = [pair.partition(":") for pair in text.split(",")] if text.strip() else []
    found = {name.strip(): secret.strip() for name, _, secret in pairs}
    if len(found) < len(pairs) or not all(found) or not all(found.values()):
        raise ValueError
    return found


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(",") if part.strip())
    if not _are_origins(origins):
        raise ValueError
    return origins


def _are_origins(given: Collection[object]) -> bool:
    return not isinstance(given, (str, bytes, Mapping)) and all(
        isinstance(one, str) and re.fullmatch(r"https?://[^/\s*]+", one) for one in given
    )


def _are_credentials(given: Mapping[object, object]) -> bool:
    texts = [*given.keys(), *given.values()]
    # What is no Unicode is an error here: nobody can send it.
    return all(isinstance(text, str) and text.encode() for text in texts)


def _identity(text: str) -> str | None:
    if not re.fullmatch("([0-9a-f]{32})?", text):
        raise ValueError
    return text or None


def _header(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        raise ValueError
    return text


def _language(text: str) -> str:
    if not re.fullmatch("[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", text):
        raise ValueError
    return text


def _database(url: str) -> str:
    if not re.fullmatch("(sqlite:///|postgres(ql)?://)[^\0]+", url):
        raise ValueError
    return url


def _folder(text: str) -> str | None:
    if text and not Path(text).is_dir():
        raise ValueError
    return text or None


def _without_password(url: str) -> str:
    """Return the URL of a database with whatever may be a password replaced."""
    url = re.sub(r"^([^:]*://[^:/?@]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&][a-z_]*password=)[^&]*", r"\1***", url)


POSITIVE_SECONDS = Kind(
    "a number of seconds above 0, up to 3600",
    float,
    0.001,
    3600,
    (int, float),
    types=(int, float),
)
TEXT = Kind("a text", str)
DATABASE = Kind(
    "a URL such as sqlite:///landform.db or postgresql://user@host/name",
    _database,
    hide=_without_password,
    # Storage says what is wrong with a URL.
    is_one=lambda url: True,
)
FLAG = Kind(
    "0 or 1",
    lambda text: {"": False, "0": False, "1": True}[text],
    native=(bool, int),
    types=(bool, int),
    is_one=lambda value: value in (0, 1),
    given="True or False",
)
TIMEZONE = Kind("a time zone of the IANA database, such as Europe/Paris", _timezone)
URL = Kind("an absolute http or https URL without a user or password", _url)
CREDENTIALS = Kind(
    "name:secret, several separated by commas, no name twice",
    _credentials,
    native=(dict,),
    hide=lambda found: ",".join(f"{name}:***" for name in found or ()),
    types=(Mapping,),
    is_one=_are_credentials,
    given="a mapping of names to secrets, which are texts",
)
ORIGINS = Kind(
    "origins such as https://example.com, separated by commas",
    _origins,
    native=(list,),
    types=(Collection,),
    is_one=_are_origins,
    given="a list of origins such as https://example.com",
)
IDENTITY = Kind("the 32 digits that `landform migrate --identity` prints", _identity)
HEADER = Kind("the value of a header, in ASCII", _header)
LANGUAGE = Kind("a language tag such as en or pt-BR", _language)
FOLDER = Kind(
    "a folder that is there",
    _folder,
    types=(str, Path),
    is_one=lambda folder: not folder or Path(folder).is_dir(),
)
