"""What is stored of a picture: upright, bounded, without metadata, and never anything else."""

import io
import zlib
from struct import pack
from typing import Any

import pytest
from applications import Client
from PIL import Image, features
from uploads import TYPES, fetch, form, picture, raw, upload, urls_of

GPS = Image.Exif()
GPS[0x010E] = "SECRET PLACE"
GPS[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0)}
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRET PLACE</x:xmpmeta>"
PROFILE = b"PROFILE" + bytes(200)
KINDS = ["JPEG", "PNG", "WEBP", *(["AVIF"] if features.check("avif") else [])]


def turned(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


@pytest.mark.parametrize("kind", KINDS)
def test_no_metadata_are_left_in_any_size_but_the_colour_profile(client: Client, kind: str) -> None:
    data = picture(900, 600, kind, exif=GPS, xmp=XMP, icc_profile=PROFILE)
    assert b"SECRET PLACE" in data
    item = upload(client, data)
    assert len(urls_of(item)) == 4
    for url in urls_of(item):
        image = fetch(client, url)
        stored = client.get(url).data
        assert (b"SECRET" in stored, b"Exif\0\0" in stored) == (False, False), url
        assert image.info.get("icc_profile") == PROFILE
        assert not image.getexif()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
def test_what_has_to_change_in_nothing_stays_the_same_bytes(client: Client, kind: str) -> None:
    data = picture(800, 600, kind, **({"progressive": True} if kind == "JPEG" else {}))
    item = upload(client, data)
    stored = client.get(item["source_url"]).data
    assert stored == data
    assert item["media_details"]["filesize"] == len(data)
    assert item["mime_type"] == TYPES[kind]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_that_lies_on_its_side_is_turned_upright(
    client: Client, orientation: int
) -> None:
    upright = Image.open(io.BytesIO(picture(400, 200, "PNG")))
    # As a camera stores it.
    turns = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
    lying = upright.transpose(turns[orientation]) if orientation > 1 else upright  # type: ignore[arg-type]
    out = io.BytesIO()
    lying.save(out, "JPEG", exif=turned(orientation), quality=95)
    item = upload(client, out.getvalue(), "photo.jpg")
    for url in urls_of(item):
        image = fetch(client, url).convert("RGB")
        width, height = image.size
        left, right = (image.getpixel((place, height // 2)) for place in (5, width - 6))
        assert left[0] > left[2], url  # type: ignore[index]
        assert right[2] > right[0], url  # type: ignore[index]
    assert (item["media_details"]["width"], item["media_details"]["height"]) == (400, 200)


def animation(kind: str, side: int = 320) -> bytes:
    frames = [Image.new("RGB", (side, 200), (value, 0, 0)) for value in (0, 120, 240)]
    out = io.BytesIO()
    frames[0].save(out, kind, save_all=True, append_images=frames[1:], duration=100)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_moves_and_its_sizes_have_the_first_frame(client: Client, kind: str) -> None:
    item = upload(client, animation(kind), "moving.x")
    assert getattr(fetch(client, item["source_url"]), "n_frames", 1) == 3
    for size in ("medium", "thumbnail"):
        image = fetch(client, item["media_details"]["sizes"][size]["source_url"])
        assert getattr(image, "n_frames", 1) == 1
        assert image.convert("RGB").getpixel((10, 10))[0] < 20  # type: ignore[index]


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("PNG", "1"), ("PNG", "L"), ("PNG", "P"), ("PNG", "RGBA"), ("JPEG", "L"), ("JPEG", "CMYK"),
     ("GIF", "P"), ("WEBP", "RGBA")],
)  # fmt: skip
def test_every_mode_of_colours_is_made_smaller(client: Client, kind: str, mode: str) -> None:
    item = upload(client, picture(400, 300, kind, mode))
    assert [fetch(client, url).size for url in urls_of(item)[1:]] == [(300, 225), (150, 150)]


def test_sixteen_bits_of_grey_are_not_white(client: Client) -> None:
    out = io.BytesIO()
    Image.new("I;16", (400, 300), 0x4000).save(out, "PNG")
    item = upload(client, out.getvalue())
    grey = fetch(client, item["media_details"]["sizes"]["medium"]["source_url"]).getpixel((9, 9))
    assert grey == 0x40


SIZES = {
    (1200, 800): {"medium": (300, 200), "large": (1024, 683), "medium_large": (768, 512)},
    (320, 900): {"medium": (107, 300)},
    (160, 100): {"thumbnail": (150, 100)},
    (151, 151): {},
    (2561, 10): {"full": (2560, 10), "2048x2048": (2048, 8), "1536x1536": (1536, 6)},
    # The proportions are those of the file that was sent: 2560x1707 would have 2048x1366.
    (3000, 2000): {"full": (2560, 1707), "2048x2048": (2048, 1365)},
    (800, 3000): {"full": (683, 2560), "2048x2048": (546, 2048)},
}


@pytest.mark.parametrize(("size", "wanted"), SIZES.items())
def test_sizes_are_rounded_as_in_wordpress_and_smaller_than_the_picture(
    client: Client, size: tuple[int, int], wanted: Any
) -> None:
    item = upload(client, picture(*size))
    sizes = item["media_details"]["sizes"]
    for name, one in sizes.items():
        assert fetch(client, one["source_url"]).size == (one["width"], one["height"]), name
        assert one["height"] <= item["media_details"]["height"], name
    found = {name: (sizes[name]["width"], sizes[name]["height"]) for name in wanted}
    assert found == wanted
    assert bool(sizes) == bool(wanted)


def test_a_large_picture_on_its_side_has_the_sizes_of_the_upright_one(client: Client) -> None:
    item = upload(client, picture(3000, 2000, "JPEG", exif=turned(6)))
    size = item["media_details"]["sizes"]["2048x2048"]
    assert (size["width"], size["height"]) == (1365, 2048)


def png(width: int, height: int) -> bytes:
    """Return a small file with many pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))

    head = pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width + 7) // 8 + 1) * height, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def many_scans() -> bytes:
    """Return a small JPEG whose last scan is repeated."""
    data = picture(400, 300, "JPEG", progressive=True)
    end = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + end * 200 + data[-2:]


def endless_exif() -> bytes:
    """Return an AVIF with many tags, each as long as the file."""
    tags = b"".join(pack("<HHII", number, 7, 60_000, 8) for number in range(40))
    head = b"Exif\0\0II*\0\x08\0\0\0" + pack("<H", 40)
    return picture(40, 30, "AVIF", exif=head + tags + bytes(60_000))


def with_exif(exif: bytes, times: int = 1) -> bytes:
    """Return a JPEG with a part of EXIF, perhaps many times."""
    part = b"\xff\xe1" + pack(">H", len(exif) + 8) + b"Exif\0\0" + exif
    return WHOLE[:2] + part * times + WHOLE[2:]


WHOLE = picture(400, 300, "JPEG")
REFUSED = {
    "a bomb": png(12_000, 12_000),
    "more pixels than Pillow takes": png(20_000, 20_000),
    "too many frames": b"GIF89a\x10\x27\x10\x27\0\0\0" + b"\x2c" + bytes(9) + b"\x02\0" + b";",
    "a cut JPEG": WHOLE[: len(WHOLE) // 2],
    "a JPEG without its end": WHOLE[:-2],
    "a JPEG of too many parts": WHOLE[:2] + b"\xff\xfe\0\2" * 60_000 + WHOLE[2:],
    "a JPEG of too many scans": many_scans(),
    "a JPEG with too much EXIF": with_exif(b"II*\0\x08\0\0\0" * 8000),
    "a picture of one column": png(1, 70_000),
    **({"an AVIF with endless EXIF": endless_exif()} if "AVIF" in KINDS else {}),
    "a cut PNG": picture(400, 300)[:-20],
    "a cut GIF": picture(400, 300, "GIF")[:-1],
    "a cut WebP": picture(400, 300, "WEBP")[:-5],
    "HTML with a GIF's first bytes": b"GIF89a<script>alert(1)</script>",
    "a TIFF": b"II*\0" + bytes(100),
    "a BMP": b"BM" + bytes(100),
    "an SVG": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "an icon": b"\0\0\x01\0\x01\0\x10\x10" + bytes(100),
    "zeros": bytes(1000),
}
REASONS = {
    "a bomb": "It has more than 50,000,000 pixels.",
    "more pixels than Pillow takes": "It has more than 50,000,000 pixels.",
    "too many frames": "It has more than 50,000,000 pixels.",
    "a picture of one column": "It has more than 65,535 pixels on a side.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_picture_or_damaged_is_a_400_and_leaves_nothing(
    client: Client, name: str
) -> None:
    sent = (raw(REFUSED[name]), "rest_upload_sideload_error")
    in_form = (form(REFUSED[name]), "rest_upload_unknown_error")
    for arguments, code in (sent, in_form):
        answer = client.post("/media", **arguments)
        assert (answer.status_code, answer.get_json()["code"]) == (400, code)
        assert answer.get_json()["message"].endswith(REASONS.get(name, "JPEG, GIF, WebP or AVIF."))
    assert client.get("/media").get_json() == []


def test_damaged_exif_does_no_harm(client: Client) -> None:
    upload(client, with_exif(b"II*\0" * 16_000, times=250))
    if "AVIF" in KINDS:
        # By chance, bytes look like its start.
        upload(client, picture(40, 30, "AVIF") + b"\0\0\0\x10free" + b"II*\0" + b"\xff" * 4)


def test_what_follows_the_end_of_a_picture_is_left_out(client: Client) -> None:
    for kind in ("JPEG", "PNG", "GIF", "WEBP"):
        data = picture(40, 30, kind)
        item = upload(client, data + b"<?php system($_GET[0]); ?><script>alert(1)</script>")
        assert client.get(item["source_url"]).data == data


def test_a_file_says_what_it_is_and_may_be_stored_for_ever(client: Client) -> None:
    item = upload(client)
    answer = client.anonymous.get(item["source_url"])
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = client.anonymous.get(
        item["source_url"], headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert (again.status_code, again.data) == (304, b"")
    head = client.anonymous.head(item["source_url"])
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(answer.data)))


def test_no_other_address_leads_to_a_file(client: Client) -> None:
    folder, file = upload(client, picture(400, 300))["source_url"].split("/")[-2:]
    for path in (
        f"{folder}/sun-100x100.png", f"{folder}/..%2f{folder}%2f{file}", f"{folder}/", "../x.db",
        f"{folder[:-1]}/{file}", f"%2e%2e/{file}", f"{folder}/{file}%00", f"{folder}/.{file}.part",
    ):  # fmt: skip
        answer = client.get(f"/media-files/{path}")
        assert answer.status_code == 404, path
        assert "max-age" not in answer.headers.get("Cache-Control", "")
