"""Pictures: their formats, the picture that is stored of a file, and its smaller variants.

Pillow is imported where it is used, since it is an extra.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from io import BytesIO
from math import floor
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any, NamedTuple

from landform.parts.media.errors import NoPillow, UploadsBusy
from landform.parts.media.metadata import gif_blocks, read_orientation, without_metadata
from landform.storage.errors import DiskFull

# The formats, each with its extension.
EXTENSIONS = {"PNG": "png", "JPEG": "jpg", "GIF": "gif", "WEBP": "webp", "AVIF": "avif"}
MIME_TYPES = {EXTENSIONS[kind]: f"image/{kind.lower()}" for kind in EXTENSIONS}
# How many pixels a file may have, in all of its frames together, and frames.
MOST_PIXELS, MOST_FRAMES = 50_000_000, 2000
# The longest side of a file, as in JPEG.
MOST_IN_A_ROW = 65_535
# The longest side of a picture that is stored.
LONGEST_SIDE = 2560
# The variants, the largest first: a box, where 0 is no bound.
BOXES = {
    "2048x2048": (2048, 2048), "1536x1536": (1536, 1536), "large": (1024, 1024),
    "medium_large": (768, 0), "medium": (300, 300),
}  # fmt: skip
THUMBNAIL, THUMBNAIL_SIDE = "thumbnail", 150
SAVED: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 82, "optimize": True, "progressive": True},
    "WEBP": {"quality": 82},
    "AVIF": {"quality": 65, "speed": 8},
}
# By the orientation in EXIF: the operation (`Image.Transpose`) that turns a picture upright. Those
# that swap its width and height.
TURNS, SIDEWAYS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}, (2, 4, 5, 6)
# A process makes one picture at a time, for its memory; others wait for so many seconds.
MAKING, WAIT_SECONDS = Lock(), 20.0


class Refused(ValueError):
    """A file that cannot be stored as a picture; the text has the reason."""


class Variant(NamedTuple):
    """A picture of one size; `name`: that of the size, empty for the picture itself."""

    name: str
    width: int
    height: int
    content: bytes


class PictureSet(NamedTuple):
    """A picture and its variants; `kind`: its format."""

    kind: str
    picture: Variant
    variants: list[Variant]


def scaled(width: int, height: int, box: tuple[int, int]) -> tuple[int, int]:
    """Return a size with the same proportions in a box, rounded as WordPress does."""
    ratios = [bound / side for bound, side in zip(box, (width, height), strict=True) if bound]
    ratio = min(1.0, *ratios)
    return max(1, floor(width * ratio + 0.5)), max(1, floor(height * ratio + 0.5))


def variant_sizes(size: tuple[int, int], sent_size: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Return the sizes of the variants of a picture, the largest first; none is as large as it.

    `sent_size`: that of the picture as it was sent, which has the exact proportions.
    """
    width, height = size
    sizes = {name: scaled(*sent_size, box) for name, box in BOXES.items()}
    sizes[THUMBNAIL] = min(THUMBNAIL_SIDE, width), min(THUMBNAIL_SIDE, height)
    # As in WordPress, one that is smaller by a pixel is not made.
    return {
        name: (w, h)
        for name, (w, h) in sizes.items()
        if w <= width and h <= height and (width - w > 1 or height - h > 1)
    }


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait until this process makes no other picture; raises `UploadsBusy` after a while."""
    if not MAKING.acquire(timeout=WAIT_SECONDS):
        raise UploadsBusy
    try:
        yield
    finally:
        MAKING.release()


def make(stream: IO[bytes]) -> PictureSet:
    """Return the picture that is stored of a file, and its variants.

    It is upright and at most 2,560 pixels long, without metadata. Where nothing of this has to
    change, and of an animation, the bytes stay as they are. Raises `Refused`, `NoPillow` and
    `DiskFull`.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - an extra
    except ImportError:
        raise NoPillow from None
    too_many = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    stream.seek(0)
    try:
        content, orientation = without_metadata(stream.read())
        with Image.open(BytesIO(content), formats=[*EXTENSIONS]) as image:
            return _make(image, content, TURNS.get(orientation))
    except (Refused, NoPillow):
        raise
    except too_many as error:
        raise Refused(f"It has more than {MOST_PIXELS:,} pixels.") from error
    except Exception as error:
        if getattr(error, "errno", None) in (ENOSPC, EDQUOT):
            raise DiskFull from error
        # Decoders raise many kinds of errors for files that are damaged on purpose.
        raise Refused("It is damaged, or no PNG, JPEG, GIF, WebP or AVIF.") from error


def _make(image: Any, content: bytes, turn: int | None) -> PictureSet:
    kind = image.format
    frames, size = _count_frames(image, kind, content), (image.width, image.height)
    if size[0] * size[1] * frames > MOST_PIXELS:
        raise Refused(f"It has more than {MOST_PIXELS:,} pixels.")
    if max(size) > MOST_IN_A_ROW:
        raise Refused(f"It has more than {MOST_IN_A_ROW:,} pixels on a side.")
    is_moving, sent_size = frames > 1, size
    if is_moving:
        turn = None
    else:
        turn = TURNS.get(read_orientation(image.info["exif"])) if "exif" in image.info else turn
        sent_size = size[::-1] if turn in SIDEWAYS else size
        size = scaled(image.width, image.height, (LONGEST_SIDE, LONGEST_SIDE))
    is_kept = turn is None and size == image.size
    if kind == "AVIF" and (image.info.get("exif") or image.info.get("xmp")):
        if is_moving:
            raise Refused("It is an animation in AVIF with metadata: remove these first.")
        is_kept = False
    # The decoder of JPEG scales by itself, which takes a part of the memory.
    image.draft(None, size)
    frame = _first_frame(image, size, turn)
    width, height = size if is_moving else frame.size
    picture = Variant("", width, height, content if is_kept else _encode(frame, kind))
    return PictureSet(kind, picture, [*_variants(frame, kind, sent_size)])


def _count_frames(image: Any, kind: str, content: bytes) -> int:
    if kind == "GIF":
        frames = 0
        for block, _ in gif_blocks(content):
            frames += block == 0x2C
            if frames > MOST_FRAMES:
                raise Refused(f"It has more than {MOST_FRAMES:,} frames.")
        return max(frames, 1)
    return int(getattr(image, "n_frames", 1))


def _first_frame(image: Any, size: tuple[int, int], turn: int | None) -> Any:
    """Return the first frame in a mode that can be scaled, of a size, and then turned."""
    from PIL import Image  # noqa: PLC0415 - an extra

    image.load()
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    elif image.mode == "1":
        image = image.convert("L")
    elif image.mode in ("P", "PA"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    if image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    if turn is not None:
        image = image.transpose(turn)
    image.info = {"icc_profile": profile} if profile else {}
    return image


def _variants(image: Any, kind: str, sent_size: tuple[int, int]) -> Iterator[Variant]:
    """Yield the variants, each made from the next larger one."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - an extra

    info, larger = image.info, image
    for name, size in variant_sizes(image.size, sent_size).items():
        if name == THUMBNAIL:
            # A variant of a narrow picture may be too narrow.
            covers = larger.width >= size[0] and larger.height >= size[1]
            smaller = ImageOps.fit(larger if covers else image, size, Image.Resampling.LANCZOS)
        else:
            smaller = larger = larger.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
        smaller.info = info
        yield Variant(name, *size, _encode(smaller, kind))


def _encode(image: Any, kind: str) -> bytes:
    # While Pillow encodes a JPEG into memory, all other threads wait; not so with a real file.
    with TemporaryFile() as file:
        image.save(file, kind, **SAVED.get(kind, {}), **image.info)
        file.seek(0)
        return file.read()
