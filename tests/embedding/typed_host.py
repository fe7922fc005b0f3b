"""A host that `mypy --strict` accepts: what it uses of landform has types.

Each `type: ignore` is a mistake that has to be found; mypy reports one that is needless.
"""

from typing import TYPE_CHECKING, Any

from flask import Flask

from landform.service import Api, ApiError, Identity, create_blueprint, etag_of


def make_host() -> Flask:
    """Return a host with a view that uses the Python API of its blueprint."""
    host = Flask(__name__)
    landing = create_blueprint("sqlite:///:memory:", timezone="Europe/Paris")
    host.register_blueprint(landing, url_prefix="/landing")
    if TYPE_CHECKING:
        create_blueprint("sqlite:///:memory:", timezon="UTC")  # type: ignore[call-arg]
        create_blueprint("sqlite:///:memory:", site="yes")  # type: ignore[arg-type]

    @host.get("/")
    def home() -> str:
        pages = landing.api.as_caller(None).list_pages(per_page=5)
        return " ".join(page["title"]["rendered"] for page in pages) + f" of {pages.total}"

    return host


def write(api: Api) -> dict[str, Any]:
    """Create, change and delete a page; results of operations are `Any`."""
    page = api.create_page(title="Sale", status="draft")
    version: str = etag_of(page)
    api.update_page(page["id"], content=page["content"]["raw"], if_match=version)
    titles: list[str] = [page["title"]["rendered"] for page in api.iter_pages(status="any")]
    api.close(titles)  # type: ignore[call-arg]
    deleted: dict[str, Any] = api.delete_page(page["id"], force=True)["previous"]
    return deleted


def main() -> None:
    """Run as a script would."""
    editor = Identity("editor", author=7, scopes=frozenset({"pages:write"}))
    with create_blueprint("sqlite:///:memory:").api as api, api.transaction():
        try:
            write(api.as_caller(editor))
        except ApiError as error:
            print(error.status, error.code, error.message, dict(error.params), error.details)
