"""Reading whole tables, as the database has them, a few rows at a time: pages may be large."""

from collections.abc import Iterator, Sequence

from peewee import Field, Tuple

from landform.storage.engines.database import EngineDatabase, Record
from landform.storage.errors import DatabaseUnusable
from landform.storage.models import Table
from landform.storage.sql.prepared import Parameter, Prepared

BATCH = 50


def batches(
    db: EngineDatabase, model: type[Table], fields: Sequence[Field] = ()
) -> Iterator[list[Record]]:
    """Yield all rows in the order of their keys, which are among the fields; all by default."""
    fields, keys = fields or model._meta.sorted_fields, model._meta.get_primary_keys()
    names = [field.name for field in fields]
    places = [names.index(key.name) for key in keys]
    query = model.select(*fields).order_by(*keys).limit(BATCH)
    beyond = Tuple(*keys) > Tuple(*(Parameter(key.name) for key in keys))
    rows = Prepared(query).run_on(db).fetchall()
    further, last = Prepared(query.where(beyond)), None
    while rows:
        yield rows
        before, last = last, [rows[-1][place] for place in places]
        if before is not None and last <= before:
            # So it is in a damaged file; reading on would never end.
            raise DatabaseUnusable(f"The rows of {model._meta.table_name} are not in their order.")
        rows = further.run_on(db, dict(zip(names, rows[-1], strict=True))).fetchall()
