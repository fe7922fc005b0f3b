"""Pictures through the API: how they are sent, found, changed and deleted."""

import io
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from applications import ADMIN, Client, host_of, service
from uploads import fetch, form, picture, raw, upload, urls_of
from werkzeug.test import TestResponse

from landform.parts.media import Media
from landform.service import Identity

WP = "/wp-json/wp/v2"


def code(answer: TestResponse) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["code"]


def test_a_retried_upload_makes_one_picture_whatever_the_boundary_was(client: Client) -> None:
    key = {"Idempotency-Key": "one"}
    first = client.post("/media", headers=key, **form(picture(), title="Sun"))
    # The client of the test makes a new boundary each time.
    again = client.post("/media", headers=key, **form(picture(), title="Sun"))
    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.get_json(), first.headers["Location"]) == (
        again.get_json(), again.headers["Location"],
    )  # fmt: skip
    for other in (form(picture(41), title="Sun"), form(picture(), title="Moon")):
        assert code(client.post("/media", headers=key, **other)) == (
            422, "rest_idempotency_key_reused",
        )  # fmt: skip
    assert len(client.get("/media").get_json()) == 1


def test_the_same_bytes_are_another_picture_and_the_response_names_the_first(
    client: Client,
) -> None:
    first = upload(client)
    second = client.post("/media", **raw(picture(), "other.png"))
    assert second.headers["X-Landform-Same-As"] == str(first["id"])
    assert second.get_json()["source_url"] != first["source_url"]
    assert "X-Landform-Same-As" not in client.post("/media", **raw(picture(50))).headers


HEADS: list[tuple[dict[str, Any], int, str]] = [
    ({"query_string": "date=x", "data": b""}, 400, "rest_invalid_param"),
    ({"data": b""}, 400, "rest_upload_no_data"),
    ({"headers": {"Content-Type": ""}}, 400, "rest_upload_no_content_type"),
    ({"headers": {"Content-Disposition": ""}}, 400, "rest_upload_no_content_disposition"),
    ({"headers": {"Content-Disposition": "x"}}, 400, "rest_upload_invalid_disposition"),
    ({"headers": {"Content-MD5": "x"}, "data": b"no picture"}, 412, "rest_upload_hash_mismatch"),
    ({"data": b"no picture"}, 400, "rest_upload_sideload_error"),
]


@pytest.mark.parametrize("number", range(len(HEADS)))
def test_refusals_come_in_the_order_of_wordpress(client: Client, number: int) -> None:
    # What is wrong later is wrong too.
    sent = raw(b"no picture")
    for changes, _, _ in reversed(HEADS[number:]):
        headers = {**sent["headers"], **changes.get("headers", {})}
        sent = {**sent, **changes, "headers": headers}
    sent["headers"] = {name: value for name, value in sent["headers"].items() if value}
    assert code(client.post("/media", **sent)) == HEADS[number][1:]
    assert code(client.anonymous.post("/media", **sent)) == (401, "rest_cannot_create")


def test_a_body_of_any_type_with_a_disposition_is_the_file(client: Client) -> None:
    for kind in ("application/x-www-form-urlencoded", "image/.png", "application/octet-stream",
                 "application/json", "text/html; charset=x", "image"):  # fmt: skip
        answer = client.post("/media", **raw(picture(), Content_Type=kind))
        assert (kind, answer.status_code) == (kind, 201)


def test_a_large_body_is_refused_and_a_picture_may_be_larger_than_other_bodies(
    client: Client,
) -> None:
    assert code(client.post("/media", **raw(bytes(25 << 20)))) == (413, "rest_upload_file_too_big")
    large = {"data": bytes(25 << 20), "content_type": "multipart/form-data; boundary=b"}
    assert code(client.post("/media", **large)) == (413, "rest_upload_file_too_big")
    noise = picture(60, 60) + os.urandom(6 << 20)
    assert client.post("/media", **raw(noise)).status_code == 201
    assert client.post("/pages", json={"title": "x" * (5 << 20)}).status_code == 413


NAMES = {
    'attachment; filename="a;b.png"': "a;b",
    'attachment; filename="one%20two.png"': "one two",
    "attachment; filename*=iso-8859-1'en'%e9t%e9.png; filename=\"x.png\"": "été",
    "attachment; filename*=utf-9''x.png; filename=\"plain.png\"": "plain",
    'attachment; name="x; filename=evil.png"; filename="good.png"': "good",
    'attachment; filename="say \\"hi\\".png"': 'say "hi"',
    'attachment; filename="say "hi" now.png" ; size=5': 'say "hi" now',
    'attachment; filename="without an end.png': "without an end",
    f'attachment; filename="{"x" * 251}.png"': "x" * 251,
    'attachment; filename="%2e%2e%2fup.png"': "up",
    'attachment; filename="IMG.2024.01.jpeg"': "IMG.2024.01",
    'attachment; filename="..."': "...",
}


@pytest.mark.parametrize("disposition", NAMES)
def test_the_title_is_the_name_as_it_was_meant(client: Client, disposition: str) -> None:
    answer = client.post("/media", **raw(picture(), Content_Disposition=disposition))
    assert answer.status_code == 201, answer.text
    assert answer.get_json()["title"]["raw"] == NAMES[disposition]
    fetch(client, answer.get_json()["source_url"])


def test_an_empty_file_in_a_form_is_no_picture(client: Client) -> None:
    assert code(client.post("/media", **form(b""))) == (400, "rest_upload_unknown_error")


def test_what_was_read_can_be_written_back(client: Client) -> None:
    item = upload(client, picture(400, 300), title="Sun", caption="A <b>sun</b>")
    back = client.put(f"/media/{item['id']}", json={**item, "status": "nonsense", "id": 99})
    assert back.status_code == 200, back.text
    changing = ("modified", "modified_gmt")
    same = [{k: v for k, v in one.items() if k not in changing} for one in (item, back.get_json())]
    assert same[0] == same[1]


def test_a_stale_version_changes_and_deletes_nothing(client: Client) -> None:
    item = upload(client)
    path = f"/media/{item['id']}"
    etag = client.get(f"{path}?context=edit").headers["ETag"]
    assert client.put(path, json={"alt_text": "a"}, headers={"If-Match": etag}).status_code == 200
    stale = {"If-Match": etag}
    assert client.put(path, json={"alt_text": "b"}, headers=stale).status_code == 412
    assert client.delete(f"{path}?force=1", headers=stale).status_code == 412
    assert client.get(path).get_json()["alt_text"] == "a"
    assert client.get(item["source_url"]).status_code == 200


def test_the_html_of_a_caller_who_may_not_write_any_is_cleaned(database_url: str) -> None:
    identity = Identity("writer", scopes=frozenset({"media:write"}))
    host = host_of(database_url, "/f", authorizer=lambda request: identity, parts=(Media(),))
    evil = "<script>x()</script><b onclick=x()>fine</b>"
    sent = raw(picture())
    answer = host.test_client().post(
        "/f/media", query_string={"title": evil, "caption": evil}, **sent
    )
    for name in ("title", "caption"):
        assert "script>" not in answer.get_json()[name]["rendered"]
        assert "onclick" not in answer.get_json()[name]["rendered"]


def test_a_host_serves_pictures_below_its_prefix_when_it_names_the_part(
    database_url: str,
) -> None:
    host = host_of(database_url, "/f", credentials=dict([ADMIN]), parts=(Media(),))
    client = host.test_client()
    item = client.post("/f/media", auth=ADMIN, **raw(picture())).get_json()
    assert item["source_url"].startswith("http://localhost/f/media-files/")
    assert fetch(client, item["source_url"]).size == (40, 30)
    assert host_of(database_url, "/f").test_client().get("/f/media").status_code == 404


def test_clients_of_wordpress_find_pictures_among_the_types_where_there_are_some(
    client: Client, database_url: str
) -> None:
    types = client.anonymous.get(f"{WP}/types").get_json()
    assert (list(types), types["attachment"]["rest_base"]) == (["page", "attachment"], "media")
    assert client.get(f"{WP}/types/attachment").get_json() == types["attachment"]
    without = host_of(database_url, "/f", wp_json_paths=True).test_client()
    assert list(without.get(f"/f{WP}/types").get_json()) == ["page"]


def test_python_creates_pictures_too(client: Client, tmp_path: Path) -> None:
    api = client.application.blueprints["landform"].api  # type: ignore[attr-defined]
    (tmp_path / "sun set.png").write_bytes(picture())
    assert api.create_media(file=tmp_path / "sun set.png", alt_text="A sun")["alt_text"] == "A sun"
    assert api.create_media(file=io.BytesIO(picture()), title="Bytes")["slug"] == "bytes"
    assert [one["slug"] for one in api.list_media(orderby="id", order="asc")] == [
        "sun-set",
        "bytes",
    ]


def test_a_page_is_deleted_and_its_pictures_are_attached_to_none(client: Client) -> None:
    page = client.page()
    item = upload(client, post=str(page["id"]))
    assert item["post"] == page["id"]
    client.delete(f"/pages/{page['id']}")
    assert client.get(f"/media/{item['id']}").get_json()["post"] == page["id"]
    client.delete(f"/pages/{page['id']}?force=1")
    assert client.get(f"/media/{item['id']}").get_json()["post"] is None


def test_a_delete_names_the_pages_that_use_the_picture(client: Client) -> None:
    item, other = upload(client), upload(client)
    users = [
        client.page(content=f'<img src="{item["source_url"]}">'),
        client.page(content=f'<img class="wp-image-{item["id"]}" src="/x.png">', status="draft"),
        client.page(meta={"gallery": [item["id"]]}),
    ]
    client.page(content=f"wp-image-{item['id']}0", meta={"gallery": [other["id"]]})
    ids = [page["id"] for page in users]
    assert client.get(f"/media/{item['id']}/pages").get_json() == {"pages": ids}
    answer = client.delete(f"/media/{item['id']}?force=true")
    assert answer.headers["X-Landform-Used-By"] == ", ".join(map(str, ids))
    assert client.get(f"/media/{item['id']}/pages").status_code == 404


def test_every_file_is_gone_after_a_delete(client: Client) -> None:
    item = upload(client, picture(1200, 800))
    assert len(urls_of(item)) == 5
    assert client.delete(f"/media/{item['id']}", json={"force": True}).status_code == 200
    assert [client.get(url).status_code for url in urls_of(item)] == [404] * 5


def test_a_batch_takes_no_uploads_and_undoes_a_delete_with_the_files(client: Client) -> None:
    item = upload(client)
    requests = [
        {"method": "DELETE", "path": f"/media/{item['id']}?force=true"},
        {"method": "POST", "path": "/media", "body": {"title": "x"}},
    ]
    body = {"validation": "require-all-validate", "requests": requests}
    answer = client.post("/batch/v1", json=body).get_json()
    assert answer["responses"][1]["body"]["code"] == "rest_batch_not_allowed"
    fetch(client, item["source_url"])


def test_events_tell_of_each_write(client: Client) -> None:
    item = upload(client)
    client.put(f"/media/{item['id']}", json={"alt_text": "x"})
    client.delete(f"/media/{item['id']}?force=1")
    events = client.get("/events?type=media.*").get_json()
    assert [event["type"] for event in events] == [
        "media.created", "media.updated", "media.deleted",
    ]  # fmt: skip
    assert {event["data"]["id"] for event in events} == {item["id"]}


def test_lists_are_ordered_and_fields_are_chosen_at_any_depth(client: Client) -> None:
    for title in ("b", "a", "C"):
        upload(client, picture(400, 300), title=title)
    for query, titles in {
        "orderby=title&order=asc": "abC", "orderby=id&order=asc": "baC",
        "orderby=include&include=3,1": "Cb", "orderby=slug&order=desc": "Cba",
        "per_page=1&page=2&orderby=id&order=asc": "a", "slug=a,c&orderby=id&order=asc": "aC",
        "exclude=2&orderby=id": "Cb", "search=sun&offset=2": "b",
        f"orderby=include&include={10**25},3,1": "Cb",
    }.items():  # fmt: skip
        found = client.get(f"/media?{query}&_fields=title").get_json()
        assert (query, [one["title"]["rendered"] for one in found]) == (query, [*titles])
    narrow = client.get("/media/1?_fields=id,media_details.sizes.medium.width").get_json()
    assert narrow == {"id": 1, "media_details": {"sizes": {"medium": {"width": 300}}}}
    embedded = client.get(f"{WP}/media/1?_embed=author").get_json()
    assert embedded["_embedded"]["author"][0]["id"] == 1
    beyond = client.get("/media?page=9")
    assert code(beyond) == (400, "rest_post_invalid_page_number")


def test_a_list_is_read_anew_after_a_write(client: Client) -> None:
    upload(client)
    etag = client.get("/media").headers["ETag"]
    assert client.get("/media", headers={"If-None-Match": etag}).status_code == 304
    upload(client)
    assert client.get("/media", headers={"If-None-Match": etag}).status_code == 200


def test_pictures_are_in_a_folder_or_in_the_database(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    for place in ("database", str(tmp_path / "elsewhere")):
        client = service(make_database(), MEDIA=place)
        item = upload(client, picture(400, 300))
        assert len([*(tmp_path / "elsewhere").glob("*/*")]) == (0 if place == "database" else 3)
        for url in urls_of(item):
            fetch(client, url)
        client.delete(f"/media/{item['id']}?force=1")
        assert [*(tmp_path / "elsewhere").glob("*")] == []
        client.store.dispose()


class Held(io.BytesIO):
    """A file that is read to its end only when it may be."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.reading, self.released = Event(), Event()

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        self.reading.set()
        assert self.released.wait(60)
        return super().read(size)


def test_an_upload_waits_for_another_one_only_for_so_long(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landform.parts.media.pictures.WAIT_SECONDS", 0.01)
    api = client.application.blueprints["landform"].api  # type: ignore[attr-defined]
    held = Held(picture())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(api.create_media, file=held)
        assert held.reading.wait(60)
        answer = client.post("/media", **raw(picture(), "other.png"))
        held.released.set()
    assert (*code(answer), int(answer.headers["Retry-After"]) > 0) == (
        503,
        "rest_upload_busy",
        True,
    )
    assert [one["id"] for one in client.get("/media").get_json()] == [first.result()["id"]]
    upload(client)


def test_without_pillow_an_upload_says_so_and_pictures_are_served(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, sent = upload(client), raw(picture())
    monkeypatch.setitem(sys.modules, "PIL", None)
    answer = client.post("/media", **sent)
    assert code(answer) == (501, "rest_upload_not_supported")
    assert "landform[media]" in answer.get_json()["message"]
    assert client.get(item["source_url"]).status_code == 200


def test_a_picture_sent_with_an_update_changes_nothing(client: Client) -> None:
    item = upload(client)
    for sent in (raw(picture(9, 9)), form(picture(9, 9), alt_text="A sun")):
        answer = client.put(f"/media/{item['id']}", **sent)
        assert (answer.status_code, answer.get_json()["source_url"]) == (200, item["source_url"])
    assert answer.get_json()["alt_text"] == "A sun"
    assert (
        client.put(f"/media/{item['id']}", data=b"x", content_type="text/plain").status_code == 415
    )
