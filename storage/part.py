"""What a part is to the core, and the tables of the core and of all parts together."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from peewee import AutoField

from landform.parts import all_parts
from landform.storage.models import TABLES, Table


@dataclass(frozen=True, kw_only=True)
class Part:
    """The class of a part. Its attributes say what the part adds; its fields are its options.

    `tables`: its tables, which the migrations in its folder create. `variables`: the environment
    variables that its commands read, without `LANDFORM_`.
    """

    tables: ClassVar[tuple[type[Table], ...]] = ()
    variables: ClassVar[tuple[str, ...]] = ()


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
