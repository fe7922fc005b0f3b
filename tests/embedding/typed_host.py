"""A host that `mypy --strict` accepts: what it uses of landform has types.

Each `type: ignore` is a mistake that has to be found; mypy reports one that is needless.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Flask

from landform.service import Api, ApiError, Identity, create_blueprint, etag_of, open_api
from landform.service.python.shapes import CreatePage, FeedRead, PageEdit, PageView


def make_host() -> Flask:
    """Return a host with a view that uses the Python API of its blueprint."""
    host = Flask(__name__)
    landing = create_blueprint("sqlite:///:memory:", timezone="Europe/Paris")
    host.register_blueprint(landing, url_prefix="/landing")
    if TYPE_CHECKING:
        create_blueprint("sqlite:///:memory:", timezon="UTC")  # type: ignore[call-arg]
        open_api("sqlite:///:memory:", site="yes")  # type: ignore[arg-type]

    @host.get("/")
    def home() -> str:
        pages = landing.api.as_caller(None).list_pages(per_page=5)
        return " ".join(page["title"]["rendered"] for page in pages) + f" of {pages.total}"

    return host


def write(api: Api) -> PageEdit:
    """Create, change and delete a page."""
    arguments: CreatePage = {"title": "Sale", "status": "draft", "date": datetime.now(UTC)}
    arguments["meta"] = {"language": ["en"], "form_id": None}
    page = api.create_page(**arguments)
    raw: str = page["content"]["raw"]
    version: str = etag_of(page)
    api.create_page(titel="Sale")  # type: ignore[call-arg]
    api.create_page(title="Sale", status="gone")  # type: ignore[arg-type]
    api.update_page(page["id"], content=raw, if_match=version)
    gone: PageEdit = api.delete_page(page["id"], force=True)["previous"]
    return api.update_page(page["id"], title=gone["title"]["raw"], if_match=page)


def read(api: Api) -> list[str]:
    """Read pages and feeds in each context."""
    shown: PageView = api.get_page(1)
    full: PageEdit = api.get_page(1, context="edit")
    feed: FeedRead = api.list_feeds(form_id=[1, 2], is_active=True)[0]
    shown["password"]  # type: ignore[typeddict-item]
    titles = [page["title"]["raw"] for page in api.iter_pages(context="edit", status="any")]
    number: int = feed["id"]  # type: ignore[assignment]
    return [*titles, full["password"], feed["id"], str(number)]


def main() -> None:
    """Run as a script would."""
    editor = Identity("editor", author=7, scopes=frozenset({"pages:write"}))
    with open_api("sqlite:///:memory:") as api, api.transaction():
        try:
            write(api.as_caller(editor))
        except ApiError as error:
            print(error.status, error.code, error.message, dict(error.params), error.details)
