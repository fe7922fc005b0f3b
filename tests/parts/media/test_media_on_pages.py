"""Pictures in pages as visitors see them: with their size and smaller ones to choose from."""

import re
from typing import Any

import pytest
from applications import Client
from uploads import picture, upload


def image(client: Client, slug: str, number: int = 0) -> dict[str, str]:
    """Return the attributes of an image in a page."""
    html = client.anonymous.get(f"/{slug}/").text
    tag = re.findall(r"<img[^>]*>", html.partition("<main")[2])[number]
    return dict(re.findall(r'([a-z]+)="([^"]*)"', tag))


@pytest.fixture
def item(client: Client) -> Any:
    return upload(client, picture(1200, 800), alt_text="Sun")


def test_an_image_gets_its_size_and_all_sizes_with_its_proportions(
    client: Client, item: Any
) -> None:
    sizes = item["media_details"]["sizes"]
    page = client.page(
        title="P", content=f'<p><img src="{sizes["large"]["source_url"]}" alt="A"></p>'
    )
    shown = image(client, "p")
    assert (shown["width"], shown["height"], shown["alt"]) == ("1024", "683", "A")
    widths = {
        size["width"]: size["source_url"] for name, size in sizes.items() if name != "thumbnail"
    }
    assert shown["srcset"] == ", ".join(f"{widths[width]} {width}w" for width in sorted(widths))
    assert max(widths) == 1200
    assert (shown["sizes"], shown["decoding"]) == ("(max-width: 1024px) 100vw, 1024px", "async")
    # What the API returns stays as it was sent.
    assert "srcset" not in client.get(f"/pages/{page['id']}").get_json()["content"]["rendered"]


def test_only_the_first_picture_of_a_page_comes_early_and_is_not_lazy(
    client: Client, item: Any
) -> None:
    tag = f'<img src="{item["source_url"]}">'
    other = upload(client, picture(30, 30))
    client.page(title="P", content=tag * 2, meta={"gallery": [other["id"]]})
    assert ["loading" in image(client, "p", number) for number in range(3)] == [False, True, True]
    assert [image(client, "p", number).get("fetchpriority") for number in range(2)] == [
        "high", None,
    ]  # fmt: skip
    client.page(title="L", content=tag.replace(">", ' loading="lazy">'))
    assert "fetchpriority" not in image(client, "l")
    client.page(title="Q", meta={"gallery": [item["id"]]})
    assert "loading" not in image(client, "q")


def test_attributes_of_the_author_stay_and_other_pictures_are_left_alone(
    client: Client, item: Any
) -> None:
    url = item["source_url"]
    client.page(
        title="P",
        content=f'<img src="{url}" width="90" loading="eager" srcset="x.png 1w">'
        f'<img src="https://example.com/a.png"><pre>&lt;img src="{url}"></pre>',
    )
    shown = image(client, "p")
    assert (shown["width"], shown["loading"], shown["srcset"]) == ("90", "eager", "x.png 1w")
    assert "height" not in shown
    assert image(client, "p", 1) == {"src": "https://example.com/a.png"}


def test_an_id_counts_with_the_name_of_a_file_only(client: Client, item: Any) -> None:
    css = f"wp-image-{item['id']}"
    for slug, name, is_own in (("p", "sun-300x200.png", True), ("q", "moon.png", False)):
        for folder in ("/wp-content/uploads", "http://["):
            page = client.page(title=slug, content=f'<img class="{css}" src="{folder}/{name}">')
            assert ("srcset" in image(client, page["slug"])) == is_own, folder


def test_a_cropped_size_has_no_others_beside_it(client: Client, item: Any) -> None:
    url = item["media_details"]["sizes"]["thumbnail"]["source_url"]
    client.page(title="P", content=f'<img src="{url}">')
    assert "srcset" not in image(client, "p")
    assert image(client, "p")["width"] == "150"


def test_a_gallery_of_ids_shows_pictures_with_their_texts(client: Client, item: Any) -> None:
    gallery = [item["id"], {"id": str(item["id"]), "alt": "Other"}, "https://example.com/b.png", 99]
    client.put(f"/media/{item['id']}", json={"caption": "A <em>warm</em> sun & <b>more</b>"})
    client.page(title="P", content="Text", meta={"gallery": gallery})
    shown = [image(client, "p", number) for number in range(3)]
    assert [one["alt"] for one in shown] == ["Sun", "Other", ""]
    assert shown[0]["width"] == "768"
    assert shown[2]["src"] == "https://example.com/b.png"
    # Without the tags of its HTML.
    assert "<figcaption>A warm sun &amp; more</figcaption>" in client.anonymous.get("/p/").text


GALLERIES = {
    "self-closing": "<!-- wp:gallery /-->",
    "figure": '<!-- wp:gallery {"linkTo":"none"} -->\n<figure class="wp-block-gallery columns-2">'
    "<figcaption>Summer</figcaption></figure>\n<!-- /wp:gallery -->",
}


@pytest.mark.parametrize("slug", GALLERIES)
def test_an_empty_gallery_in_the_content_has_the_pictures_of_the_meta(
    client: Client, item: Any, slug: str
) -> None:
    tag = f'<p>Before</p>{GALLERIES[slug]}<p>After</p><img src="{item["source_url"]}">'
    gallery = [{"id": upload(client, picture(900, 600))["id"], "alt": "Lake"}, "https://x.test/b"]
    page = client.page(title=slug, content=tag, meta={"gallery": gallery})
    shown = [image(client, slug, number) for number in range(3)]
    assert [one.get("alt") for one in shown] == ["Lake", "", None]
    assert [shown[0][name] for name in ("width", "height")] == ["768", "512"]
    assert "300w" in shown[0]["srcset"]
    assert ["loading" in one for one in shown[:2]] == [False, True]
    html = client.anonymous.get(f"/{slug}/").text
    before, _, after = html.partition("<figure><img")
    assert "<p>Before</p>" in before
    assert "<p>After</p>" in after
    assert html.count('alt="Lake"') == html.count('class="wp-block-gallery') == 1
    rendered = client.get(f"/pages/{page['id']}").get_json()["content"]["rendered"]
    assert rendered.count("<img") == 1
    assert ("wp-block-gallery" in rendered) == ("<figure" in tag)


def test_shared_links_know_the_size_of_the_picture(client: Client, item: Any) -> None:
    client.page(title="P", content=f'<img src="{item["source_url"]}">')
    html = client.anonymous.get("/p/").text
    for name, value in (
        ("image", item["source_url"]),
        ("image:width", 1200),
        ("image:height", 800),
    ):
        assert f'<meta property="og:{name}" content="{value}">' in html


def test_a_cached_page_follows_its_picture(client: Client, item: Any) -> None:
    client.page(title="P", content="Text", meta={"gallery": [item["id"]]})
    first = client.anonymous.get("/p/")
    assert image(client, "p")["alt"] == "Sun"
    client.put(f"/media/{item['id']}", json={"alt_text": "Moon"})
    assert image(client, "p")["alt"] == "Moon"
    known = {"If-None-Match": first.headers["ETag"]}
    assert client.anonymous.get("/p/", headers=known).status_code == 200
    client.delete(f"/media/{item['id']}?force=1")
    assert "<img" not in client.anonymous.get("/p/").text.partition("<main")[2]
