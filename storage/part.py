"""What a part is to the core, and the tables of the core and of all parts together."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from peewee import AutoField

from landform.parts import all_parts
from landform.storage.models import TABLES, Table


@dataclass(frozen=True, kw_only=True)
class Part:
    """The class of a part. Its attributes say what the part adds; its fields are its options.

    `tables`: its tables, which the migrations in its folder create. `variables`: the environment
    variables that its commands read, without `LANDFORM_`. `event_types`: its types of events.
    `event_fields`: the fields that only its events have, with description and type.
    """

    tables: ClassVar[tuple[type[Table], ...]] = ()
    variables: ClassVar[tuple[str, ...]] = ()
    event_types: ClassVar[tuple[str, ...]] = ()
    event_fields: ClassVar[Mapping[str, tuple[str, type]]] = {}

    @classmethod
    def first_awaited_event(cls, store: Any) -> int | None:
        """Return the id of the first event that must not expire yet, if there is one."""
        return None


@cache
def all_tables() -> tuple[type[Table], ...]:
    """Return the tables of the core and of every part, in the order in which a copy fills them."""
    return (*TABLES, *(table for part in all_parts().values() for table in part.tables))


@cache
def numbered_tables() -> dict[str, type[Table]]:
    """Return the tables whose ids the database gives out, none of them twice, by name."""
    return {
        model._meta.table_name: model
        for model in all_tables()
        if isinstance(model._meta.primary_key, AutoField) and not model.derived
    }
