"""Values as PHP and its plugins write them, addresses, dates, and texts that no database holds."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import isfinite
from typing import Any
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from landform.storage.clock import Clock, Moment

# The character NUL, and halves of others.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# Numbers as such, as texts, or as fractions.
WHOLE = re.compile(r"\s*(-?[0-9]{1,40})(?:\.0+)?\s*")
SAFE = "/:?#[]@!$&'()*+,;=%~-._"
NO_URL = "{url} is no address of a site: it has to look like https://shop.example."
# The begin of a serialized value; a scalar is as a whole here.
VALUE = re.compile(rb"([Nidb])(?::([^;]{1,40}))?;|([as]):([0-9]{1,9}):[{\"]")
# What may follow the end of a text: another value, the end of a list, or nothing.
TEXT_END = re.compile(rb"\";(?=[Nidbas][:;]|\}|\s*\Z)")
# A text that only PHP writes, whether it can be read or not.
SERIALIZED = re.compile(r'\s*(?:a:[0-9]+:\{|[sOCE]:\+?[0-9]+:"|[rR]:[0-9]+;\s*\Z)')
SCALARS: dict[bytes, Callable[[bytes], Any]] = {
    b"N": lambda _: None,
    b"i": int,
    b"d": lambda text: _finite(float(text)),
    b"b": lambda text: text == b"1",
}
# A local time can be no further from UTC than this: what is, was not written by a clock.
FARTHEST = timedelta(hours=26)


def storable(value: Any, pattern: re.Pattern[str] = UNSTORABLE) -> Any:
    """Return a value in whose texts, at any depth, U+FFFD stands for what a pattern finds."""
    if isinstance(value, str):
        return pattern.sub("\ufffd", value)
    if isinstance(value, dict):
        return {storable(key, pattern): storable(item, pattern) for key, item in value.items()}
    return [storable(item, pattern) for item in value] if isinstance(value, list) else value


def whole(value: object) -> int | None:
    """Return the whole number that a value is; None where it is none."""
    found = WHOLE.fullmatch(str(value))
    return int(found[1]) if found else None


class Unreadable:
    """A serialized value that cannot be read: broken, or an object of PHP."""


UNREADABLE = Unreadable()


def unserialize(text: str) -> Any:
    """Return a value of PHP: lists and mappings, texts, numbers; what is none stays a text."""
    return _unserialized(text, repairs=False)


def field_value(text: str) -> Any:
    """Return the value of a custom field; `UNREADABLE` if only PHP, or nobody, can read it.

    The length of a text is wrong after a search and replace, or with other line ends and
    encodings: it ends where another value or the end of the list follows.
    """
    value = unserialize(text)
    if value == text and SERIALIZED.match(text):
        value = _unserialized(text, repairs=True)
    return UNREADABLE if value == text and SERIALIZED.match(text) else value


def _unserialized(text: str, *, repairs: bool) -> Any:
    data = text.encode("utf-8", "surrogatepass")
    with suppress(ValueError, TypeError, RecursionError):
        value, end = _value(data, 0, repairs)
        if end == len(data.rstrip()):
            return value
    return text


def _finite(number: float) -> float:
    if not isfinite(number):
        raise ValueError("JSON has no such number.")
    return number


def _value(data: bytes, at: int, repairs: bool) -> tuple[Any, int]:
    """Return the value that begins somewhere, and where it ends."""
    if not (found := VALUE.match(data, at)):
        raise ValueError("Here begins no value.")
    at = found.end()
    if found[1]:
        return SCALARS[found[1]](found[2]), at
    size = int(found[4])
    if found[3] == b"s":
        # The length is in bytes.
        end = at + size
        if data[end : end + 2] != b'";':
            clear = TEXT_END.search(data, at) if repairs else None
            if not clear:
                raise ValueError("This text does not end where it says.")
            end = clear.start()
        return data[at:end].decode(), end + 2
    items = []
    for _ in range(2 * size):
        item, at = _value(data, at, repairs)
        items.append(item)
    if data[at : at + 1] != b"}":
        raise ValueError("This list does not end where it says.")
    mapping = dict(zip(items[::2], items[1::2], strict=True))
    if list(mapping) == list(range(size)):
        return list(mapping.values()), at + 1
    return {str(key): value for key, value in mapping.items()}, at + 1


def ascii_url(url: str) -> str:
    """Return a URL as it is sent, its host in IDNA; `ValueError` where it is none of HTTP."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(NO_URL.format(url=url))
    if not host.isascii():
        user, at, _ = parts.netloc.rpartition("@")
        named = host.encode("idna").decode() + (f":{port}" if port else "")
        url = parts._replace(netloc=f"{user}{at}{named}").geturl()
    return quote(url, safe=SAFE)


def utf8(header: str) -> str:
    """Return a header whose bytes are UTF-8, which HTTP libraries read as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def place(url: str) -> str:
    """Return a URL without its query."""
    return url.partition("?")[0]


def address(url: str) -> str:
    """Return the address of a site without scheme and `www.`, which it may get or lose."""
    # Where it is none the site is not asked there, only named so.
    with suppress(ValueError):
        parts = urlsplit(url)
        url = parts.netloc.removeprefix("www.") + parts.path.rstrip("/")
    return str(storable(url))


class SiteDates:
    """Reads the dates of a site. `index` has its time zone, `clock` that of landform."""

    def __init__(self, index: dict[str, Any], clock: Clock) -> None:
        self._clock = clock
        self._zone = _zone(index)
        named = index.get("timezone_string") or f"UTC{index.get('gmt_offset', 0)}"
        self.name = str(storable(str(named)))
        self.is_same = self._zone is None or _offsets(self._zone) == _offsets(clock.zone)

    def read(self, local: object, gmt: object) -> Moment | None:
        """Return the moment that a date and its `_gmt` are; None where neither is a date.

        UTC counts, unless it is no date, or none that fits. Where both sites have the same zone the
        local date stays as it is: it may have been written when the site had another one.
        """
        here, there = _parse(local), _parse(gmt)
        if there and here and abs(here - there) > FARTHEST:
            there = None
        if there and here and self.is_same:
            return Moment(here.isoformat(), there.isoformat())
        if there:
            return self._clock.moment(there.replace(tzinfo=UTC))
        if here is None:
            return None
        return self._clock.moment(here if self.is_same else here.replace(tzinfo=self._zone))


def _parse(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text).strip())
    except ValueError:
        return None
    return found.replace(tzinfo=None, microsecond=0)


def _zone(index: dict[str, Any]) -> tzinfo | None:
    """Return the zone of a site; None where it does not say."""
    with suppress(ValueError, OSError, LookupError):
        return ZoneInfo(str(index["timezone_string"]))
    with suppress(LookupError, TypeError, ValueError, OverflowError):
        return timezone(timedelta(hours=float(index["gmt_offset"])))
    return None


def _offsets(zone: tzinfo) -> list[timedelta | None]:
    year = datetime.now(UTC).year
    return [zone.utcoffset(datetime(year, month, 1, 12)) for month in (1, 4, 7, 10)]
