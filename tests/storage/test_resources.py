"""What a table takes part in is said beside its columns, and everything else follows from that."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import peewee
import pytest
from conftest import migrated

from landform.storage import models
from landform.storage.engines.database import INDEX
from landform.storage.models import TABLES, Table

STORAGE = Path(models.__file__).parent
MODEL = '''

class Redirect(Table):
    """Made up by a test."""

    traits = Traits(exported_by=("path",), copied=True, numbered=True, versioned=True)

    id = AutoField()
    path = TextField()
    version = BigIntegerField(default=1)
    meta = TextField(default="{}")

    class Meta:
        table_name = "redirect"


TABLES'''
MIGRATION = '''
def up(migrator, db):
    """Create it."""
    speaks = db.dialect
    db.execute_sql(f"CREATE TABLE redirect ({speaks.identity}, path {speaks.text} NOT NULL, "
        f"version BIGINT NOT NULL, meta {speaks.text} NOT NULL)")
    speaks.create_version(db, "redirect")
    db.execute_sql("INSERT INTO resource_version (name, version) VALUES ('redirect', 1)")
'''
SCRIPT = """
import sys
from landform.storage import Store, models
from landform.storage.maintenance import copying, derived, transfer, verify

source, target, other = (Store(url) for url in sys.argv[1:])
for store in (source, target, other):
    store.migrate()
with source.connection() as db, source.transaction():
    models.Redirect.insert(path="/old").execute(db)
    models.Redirect.insert(path="/gone").execute(db)
    models.Redirect.delete().where(models.Redirect.path == "/gone").execute(db)

def versions(store):
    with store.connection() as db:
        query = models.ResourceVersion.select().where(models.ResourceVersion.name == "redirect")
        return [row.version for row in query.execute(db)]

assert versions(source) == [4], versions(source)
copying.copy(source, target, lambda *_: None)
lines = list(transfer.rows(source, ["redirect"]))
assert [(line["id"], line["path"]) for line in lines] == [(1, "/old")]
for _ in range(2):
    importing = transfer.Import(other, "slug")
    importing.run(enumerate(dict(line) for line in lines))
    print(dict(importing.counts))
for store in (source, target, other):
    assert list(verify.find_problems(store)) == [], list(verify.find_problems(store))
    with store.connection() as db:
        assert db.last_ids()["redirect"] == (1 if store is other else 2), db.last_ids()
        models.ResourceVersion.delete().where(
            models.ResourceVersion.name == "redirect").execute(db)
    assert "version of all rows of redirect is missing" in "".join(verify.find_problems(store))
    derived.rebuild(store)
    assert versions(store) == [1]
    store.dispose()
"""


@pytest.mark.servers
def test_a_new_table_is_exported_copied_numbered_and_versioned_once_its_model_says_so(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    package = tmp_path / "landform" / "storage"
    shutil.copytree(STORAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (package / "models.py").read_text()
    assert text.count("\n\nTABLES") == 1
    (package / "models.py").write_text(text.replace("\n\nTABLES", MODEL))
    (package / "migrations" / "9000_redirects.py").write_text(MIGRATION)
    if request.config.getoption("--database") == "postgresql":
        server = request.getfixturevalue("postgres")
        urls = [server.create() for _ in range(3)]
    else:
        urls = [f"sqlite:///{tmp_path}/{number}.db" for number in range(3)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *urls],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["{'created': 1}", "{'unchanged': 1}"]


def test_every_model_says_what_its_traits_are() -> None:
    found = [
        one
        for one in vars(models).values()
        if isinstance(one, type) and issubclass(one, peewee.Model)
    ]
    assert set(found) - {peewee.Model, Table} == set(TABLES)
    assert all("traits" in vars(model) for model in TABLES)


def test_the_models_are_the_tables_that_the_migrations_create(new_database: str) -> None:
    store = migrated(new_database)
    with store.connection() as db:
        tables = {part.name for part in db.schema() if part.kind == "table"}
        versions = db.execute_sql("SELECT name FROM resource_version").fetchall()
        given = db.last_ids()
    index = {name for name in tables if name.startswith(INDEX.name)}
    assert tables - index - {"schema_migration"} == {one._meta.table_name for one in TABLES}
    assert {name for (name,) in versions} == store.database.versioned
    assert set(given) == set(models.NUMBERED)
