"""The colors of a site, readable in light and dark, from its accent color."""

WHITE, BLACK = b"\xff" * 3, b"\0" * 3
# The background of pages in each scheme, as in style.html, and the end that contrasts with it.
SCHEMES = {"light": (WHITE, BLACK), "dark": (b"\x16\x17\x1a", WHITE)}
# WCAG asks for 4.5, and links also stand on tinted backgrounds; for buttons in the dark 3 are
# enough, and on white they have a border.
LINK_CONTRAST, FILL_CONTRAST = 5.5, {"light": 1.0, "dark": 3.0}
STEPS = 32


def accent_colors(accent: str) -> dict[str, dict[str, str]]:
    """Return the colors of both schemes for an accent such as `#0b57d0` or `#05d`.

    Each scheme has `link`, `fill` for buttons, and `on_fill` for the text on them.
    """
    digits = accent[1:] if len(accent) > 4 else "".join(digit * 2 for digit in accent[1:])
    color, schemes = bytes.fromhex(digits), {}
    for scheme, (paper, end) in SCHEMES.items():
        fill = _readable(color, paper, end, FILL_CONTRAST[scheme])
        on_fill = BLACK if _contrast(fill, BLACK) > _contrast(fill, WHITE) else WHITE
        link = _readable(color, paper, end, LINK_CONTRAST)
        colors = {"link": link, "fill": fill, "on_fill": on_fill}
        schemes[scheme] = {name: f"#{value.hex()}" for name, value in colors.items()}
    return schemes


def _readable(color: bytes, paper: bytes, end: bytes, contrast: float) -> bytes:
    """Return a color with a contrast to the paper: itself, or mixed with the end."""
    pairs = list(zip(color, end, strict=True))
    shades = (
        bytes((start * (STEPS - step) + goal * step) // STEPS for start, goal in pairs)
        for step in range(STEPS + 1)
    )
    return next(shade for shade in shades if _contrast(shade, paper) >= contrast)


def _contrast(*colors: bytes) -> float:
    """Return the contrast of two colors by WCAG, from 1 to 21."""
    darker, lighter = sorted(map(_luminance, colors))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: bytes) -> float:
    parts = (value / 255 for value in color)
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
