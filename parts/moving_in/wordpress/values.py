"""Values of PHP and its plugins, URLs, dates, and characters that no database can store."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

import orjson

from landform.storage.clock import Clock, Moment

# NUL and unpaired surrogates.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# An integer as a number, a text or a fraction such as 3.0.
INTEGER_TEXT = re.compile(r"\s*(-?[0-9]{1,40})(?:\.0+)?\s*")
SAFE = "/:?#[]@!$&'()*+,;=%~-._"
INVALID_URL = "{url} is no address of a site: it has to look like https://shop.example."
# A whole scalar, or the start of a list or text.
SERIALIZED_VALUE = re.compile(rb"([Nidb])(?::([^;]{1,40}))?;|([as]):([0-9]{1,9}):[{\"]")
# The end of a text, followed by another value, the end of a list, or nothing.
TEXT_END = re.compile(rb"\";(?=[Nidbas][:;]|\}|\s*\Z)")
# The start of a text that only PHP writes, readable or not.
SERIALIZED = re.compile(r'\s*(?:a:[0-9]+:\{|[sOCE]:\+?[0-9]+:"|[rR]:[0-9]+;\s*\Z)')
SCALARS: dict[bytes, Callable[[bytes], Any]] = {
    b"N": lambda _: None,
    b"i": int,
    # JSON has neither INF nor NAN.
    b"d": lambda text: float(orjson.loads(text)),
    b"b": lambda text: text == b"1",
}
# A serialized value that is broken, or an object of PHP.
UNREADABLE: Any = object()
# Local time never differs more from UTC: a larger difference was not written by a clock.
MAX_OFFSET = timedelta(hours=26)


def storable(value: Any, pattern: re.Pattern[str] = UNSTORABLE) -> Any:
    """Replace all matches of a pattern by U+FFFD, in the texts of a value at any depth."""
    if isinstance(value, str):
        return pattern.sub("\ufffd", value)
    if isinstance(value, dict):
        return {storable(key, pattern): storable(item, pattern) for key, item in value.items()}
    return [storable(item, pattern) for item in value] if isinstance(value, list) else value


def parse_integer(value: object) -> int | None:
    """Return the integer that a value holds, or None."""
    match = INTEGER_TEXT.fullmatch(str(value))
    return int(match[1]) if match else None


def field_value(text: str) -> Any:
    """Return the value of a custom field, `UNREADABLE` if it is a broken value of PHP.

    The length of a serialized text is wrong after a search and replace, or with other line ends or
    encodings. Such a text ends before another value, or the end of the list.
    """
    data = text.encode("utf-8", "surrogatepass")
    for repair in (False, True):
        with suppress(ValueError, TypeError, RecursionError):
            value, end = _unserialize(data, 0, repair)
            if end == len(data.rstrip()):
                return value
        if not SERIALIZED.match(text):
            return text
    return UNREADABLE


def _unserialize(data: bytes, start: int, repair: bool) -> tuple[Any, int]:
    """Return the value of PHP at a position, and the position of its end."""
    if not (match := SERIALIZED_VALUE.match(data, start)):
        raise ValueError("There is no value.")
    position = match.end()
    if match[1]:
        return SCALARS[match[1]](match[2]), position
    size = int(match[4])
    if match[3] == b"s":
        # The length is in bytes.
        end = position + size
        if data[end : end + 2] != b'";':
            text_end = TEXT_END.search(data, position) if repair else None
            if not text_end:
                raise ValueError("The length of a text is wrong.")
            end = text_end.start()
        return data[position:end].decode(), end + 2
    items = []
    for _ in range(2 * size):
        item, position = _unserialize(data, position, repair)
        items.append(item)
    if data[position : position + 1] != b"}":
        raise ValueError("The length of a list is wrong.")
    mapping = dict(zip(items[::2], items[1::2], strict=True))
    if list(mapping) == list(range(size)):
        return list(mapping.values()), position + 1
    return {str(key): value for key, value in mapping.items()}, position + 1


def ascii_url(url: str) -> str:
    """Return an HTTP URL with its host in IDNA, or raise `ValueError`."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(INVALID_URL.format(url=url))
    if not host.isascii():
        user, at, _ = parts.netloc.rpartition("@")
        ascii_host = host.encode("idna").decode() + (f":{port}" if port else "")
        url = parts._replace(netloc=f"{user}{at}{ascii_host}").geturl()
    return quote(url, safe=SAFE)


def utf8(header: str) -> str:
    """Decode a header in UTF-8, which HTTP libraries read as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def without_query(url: str) -> str:
    """Return a URL without its query."""
    return url.partition("?")[0]


def site_address(url: str) -> str:
    """Return the address of a site without scheme and `www.`, which may change."""
    # An invalid URL is only a name here.
    with suppress(ValueError):
        parts = urlsplit(url)
        url = parts.netloc.removeprefix("www.") + parts.path.rstrip("/")
    return str(storable(url))


class SiteDates:
    """Parses dates of a site. `index` names its time zone, `clock` has the one of landform."""

    def __init__(self, index: dict[str, Any], clock: Clock) -> None:
        self._clock = clock
        self._zone: tzinfo | None = None
        with suppress(LookupError, TypeError, ValueError, OverflowError):
            self._zone = timezone(timedelta(hours=float(index["gmt_offset"])))
        with suppress(ValueError, OSError, LookupError):
            self._zone = ZoneInfo(str(index["timezone_string"]))
        name = index.get("timezone_string") or f"UTC{index.get('gmt_offset', 0)}"
        self.zone_name = str(storable(str(name)))
        self.has_same_zone = self._zone is None or _offsets(self._zone) == _offsets(clock.zone)

    def parse(self, local_text: object, gmt_text: object) -> Moment | None:
        """Return the moment of a date and its `_gmt`, or None if both are invalid.

        UTC counts if it is valid and plausible. With the same zone on both sites the local date
        stays as it is, since the zone of the site may have been another one when it was written.
        """
        local, gmt = _parse_date(local_text), _parse_date(gmt_text)
        if gmt and local and abs(local - gmt) > MAX_OFFSET:
            gmt = None
        if gmt and local and self.has_same_zone:
            return Moment(local.isoformat(), gmt.isoformat())
        if gmt:
            return self._clock.moment(gmt.replace(tzinfo=UTC))
        if local is None:
            return None
        return self._clock.moment(local if self.has_same_zone else local.replace(tzinfo=self._zone))


def _parse_date(text: object) -> datetime | None:
    try:
        date = datetime.fromisoformat(str(text).strip())
    except ValueError:
        return None
    return date.replace(tzinfo=None, microsecond=0)


def _offsets(zone: tzinfo) -> list[timedelta | None]:
    year = datetime.now(UTC).year
    return [zone.utcoffset(datetime(year, month, 1, 12)) for month in (1, 4, 7, 10)]
