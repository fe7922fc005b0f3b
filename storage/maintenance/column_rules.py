"""What each column may hold: what this version would write there."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple, TypeGuard

import peewee

from landform.storage import models
from landform.storage.pages import windows
from landform.storage.pages.filters import STATUSES
from landform.storage.pages.meta_keys import stored_meta_columns
from landform.storage.rows import Values
from landform.storage.runs import STATES as RUN_STATES
from landform.storage.search_text import fold

Holds = Callable[[object], bool]


class Rule(NamedTuple):
    """A condition on a value, and the message about one that breaks it."""

    holds: Holds
    wrong: str


def is_text(value: object) -> TypeGuard[str]:
    """Return whether a value is text in UTF-8."""
    try:
        return isinstance(value, str) and (value.isascii() or bool(value.encode()))
    except UnicodeEncodeError:
        return False


def is_stamp(value: object) -> bool:
    """Return whether a value is a date and time such as 2026-01-31T12:00:00."""
    try:
        return is_text(value) and datetime.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def is_object(value: object) -> bool:
    """Return whether a value is the text of a JSON object."""
    try:
        return is_text(value) and isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


def _is_list(value: object) -> bool:
    try:
        return is_text(value) and isinstance(json.loads(value), list)
    except (ValueError, RecursionError):
        return False


def _number(least: int, most: int = 2**63 - 1) -> Holds:
    return lambda value: isinstance(value, int) and least <= value <= most


def _like(pattern: str) -> Holds:
    matches = re.compile(pattern).fullmatch
    return lambda value: isinstance(value, str) and matches(value) is not None


def _or(exception: object, rule: Rule) -> Rule:
    return Rule(lambda value: value == exception or rule.holds(value), rule.wrong)


TEXT = Rule(is_text, "is no text in UTF-8")
STAMP = Rule(is_stamp, "is no date and time")
OBJECT = Rule(is_object, "is no JSON object")
FLAG = Rule(_number(0, 1), "is neither 0 nor 1")
COUNT = Rule(_number(0), "is no number from 0")
ID = Rule(_number(1), "is no number from 1")
SLUG = Rule(_like("[%a-z0-9_-]{0,200}"), "is no slug")
DIGEST = Rule(_like("[0-9a-f]{64}"), "is no SHA-256")
STATUS = Rule({*STATUSES, "trash"}.__contains__, "is no status")
RUN_STATE = Rule(RUN_STATES.__contains__, "is no state of a run")
NAME = Rule(lambda value: is_text(value) and value != "", "is no name")
SCOPES = Rule(_like("[a-z]+:[a-z]+( [a-z]+:[a-z]+)*"), "is no list of scopes")
HEX = Rule(_like("[0-9a-f]+"), "is not hexadecimal")
NOTES = Rule(_is_list, "is no JSON list")

# What a column may hold by its type.
BY_TYPE: Mapping[type[peewee.Field], Rule] = {
    peewee.AutoField: ID,
    peewee.BigIntegerField: COUNT,
    peewee.BooleanField: FLAG,
    peewee.SmallIntegerField: FLAG,
    peewee.TextField: TEXT,
}
# What a column may hold where that is less than its type allows, or more.
BY_NAME: Mapping[type[models.Table], Mapping[str, Rule]] = {
    models.Page: {
        "status": STATUS, "date": STAMP, "date_utc": STAMP, "modified": STAMP,
        "modified_utc": _or("", STAMP), "version": ID, "author": ID, "slug": SLUG,
        "slug_before_trash": SLUG, "meta": OBJECT,
        **dict.fromkeys(windows.COLUMNS, _or(None, STAMP)),
    },
    models.Feed: {
        "addon_slug": NAME, "modified_utc": _or("", STAMP), "version": ID, "meta": OBJECT,
    },
    models.FeedRun: {
        "feed_id": ID, "entry_id": NAME, "state": RUN_STATE, "attempt": ID,
        "due_utc": _or(None, STAMP), "created_utc": STAMP, "modified_utc": STAMP, "version": ID,
    },
    models.ApiKey: {
        "name": NAME, "digest": DIGEST, "scopes": SCOPES, "author": ID, "created": STAMP,
        "expires": _or(None, STAMP),
    },
    models.SiteSecret: {"name": NAME, "secret": HEX},
    models.PreviewRevocation: {"page": ID, "times": ID},
    models.IdempotencyRecord: {"body_digest": DIGEST, "answer": OBJECT, "created": STAMP},
    models.ResourceVersion: {"name": NAME},
    models.ImportOrigin: {
        "source": NAME, "resource": NAME, "source_id": ID, "outcome": NAME, "notes": NOTES,
    },
    models.ImportRun: {"source": NAME, "state": OBJECT},
    models.StoreInfo: {"identity": HEX, "generation": HEX},
}  # fmt: skip


def _rule(model: type[models.Table], field: peewee.Field) -> Rule:
    by_type = BY_TYPE[type(field)]
    by_type = _or(None, by_type) if field.null else by_type
    return BY_NAME.get(model, {}).get(field.name, by_type)


# Every column whose value does not follow from another table.
COLUMNS: Mapping[type[models.Table], Mapping[str, Rule]] = {
    model: {field.name: _rule(model, field) for field in model._meta.sorted_fields}
    for model in models.TABLES
    if not model.traits.derived
}


def broken_page_rules(page: Values) -> Mapping[str, str]:
    """Return the columns that contradict others of the page, with a message each."""
    wrong: dict[str, str] = {}
    if is_text(page["title_raw"]) and page["title_key"] != fold(page["title_raw"]):
        wrong["title_key"] = "is not that of the title"
    for name, value in stored_meta_columns(page["meta"]).items():
        if page[name] != value:
            wrong[name] = "is not that of the meta"
    if not page["slug"] and page["status"] not in ("draft", "pending", "trash"):
        wrong["slug"] = "is missing"
    if page["title_raw"] == "" == page["content_raw"]:
        wrong["title_raw"] = "is empty, like the content"
    return wrong
