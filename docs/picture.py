"""Draw docs/architecture.svg from the imports of the code, and write the table beside it.

Run `python docs/picture.py` after imports or the table of rooms have changed.

A column for each part of the product, a box for each room, the highest at the top. An arrow means
that one imports the other; inside a column, one that follows from others is left out.
"""

import re
import sys
from html import escape
from pathlib import Path
from textwrap import wrap

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/architecture"))

from rooms import ROOMS, imports, modules, room_of

PICTURE, PAGE = (Path(__file__).with_name(f"architecture.{kind}") for kind in ("svg", "md"))
HEAD = r"\| room \| packages and modules \| may import \|\n\|---\|---\|---\|\n"
TABLE = re.compile(rf"(?<={HEAD})(\|.*\n)*")
COLUMNS = {
    "standalone service": (
        "start",
        "commands",
        "wordpress",
        "application",
        "standalone",
        "server",
        "lines",
    ),
    "service/": (
        "blueprint",
        "openapi",
        "python",
        "views",
        "planning",
        "rendering",
        "http",
        "steps",
        "options",
        "auth",
        "errors",
    ),
    "schemas/": ("schemas",),
    "storage/": ("maintenance", "resources", "sql", "store", "engines", "models", "primitives"),
}
# The way of a request, as docs/architecture.md tells it.
STEPS = {
    "server": "1",
    "http": "2, 3, 8",
    "auth": "4",
    "views": "5",
    "schemas": "6",
    "resources": "7",
}
WIDTH, GAP, TOP, LINE, SPACE = 236, 34, 96, 13, 26
STYLE = """
text { font: 11px sans-serif; fill: #333 } .name { font-weight: bold; font-size: 13px }
.purpose { fill: #667 }
.part { font-size: 15px; font-weight: bold } rect { fill: #f4f6f8; stroke: #8a98a8 }
path { fill: none; stroke: #4a6785; marker-end: url(#tip) } circle { fill: #b4472d }
.step { fill: #fff; font-weight: bold }
"""


def needs() -> dict[str, set[str]]:
    """Return which rooms each room imports, of those that it may import."""
    needed: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module, targets in imports().items():
        room = room_of(module)
        needed[room] |= {room_of(target) for target in targets} & set(ROOMS[room].may_import)
    return needed


def reached(room: str, needed: dict[str, set[str]]) -> set[str]:
    """Return all rooms that a room imports, directly or not."""
    return needed[room].union(*(reached(other, needed) for other in needed[room]))


def drawn(needed: dict[str, set[str]], rooms: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the imports among rooms of one column that do not follow from others."""
    return [
        (room, other)
        for room in rooms
        for other in rooms
        if other in needed[room]
        and not any(other in reached(through, needed) for through in needed[room])
    ]


def lines(room: str) -> list[tuple[str, str]]:
    """Return the lines of a box, each with its style: what the room is for, and its modules."""
    inside = [name for name in modules() if room_of(name) == room]
    files = [name for name in inside if modules()[name].name != "__init__.py"]
    short = sorted({name.rpartition(".")[2] for name in files or inside})
    purpose = wrap(ROOMS[room].purpose.replace("`", ""), 38)
    return [("purpose", line) for line in purpose] + [
        ("", line) for line in wrap(", ".join(short), 38)
    ]


def draw() -> str:
    """Return the picture."""
    needed = needs()
    height, shapes = 0, []
    for number, (part, rooms) in enumerate(COLUMNS.items()):
        x, y, places = GAP + number * (WIDTH + GAP), TOP, {}
        shapes.append(f'<text class="part" x="{x}" y="{TOP - 14}">{part}</text>')
        for room in rooms:
            places[room] = (y, y + 26 + LINE * len(lines(room)))
            shapes += _box(room, x, *places[room])
            y = places[room][1] + SPACE
        shapes += [_arrow(x, places[a], places[b]) for a, b in drawn(needed, rooms)]
        height = max(height, y)
    shapes += _between(needed)
    width = GAP + len(COLUMNS) * (WIDTH + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">\n'
        f"<title>The rooms of landform</title>\n<style>{STYLE}</style>\n"
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#4a6785;stroke:none"/></marker>\n'
        f'<rect width="{width}" height="{height}" style="fill:#fff;stroke:none"/>\n'
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _box(room: str, x: int, top: int, bottom: int) -> list[str]:
    shapes = [
        f'<rect x="{x}" y="{top}" width="{WIDTH}" height="{bottom - top}" rx="5"/>',
        f'<text class="name" x="{x + 9}" y="{top + 17}">{room}</text>',
    ]
    for number, (style, line) in enumerate(lines(room)):
        y = top + 32 + number * LINE
        shapes.append(f'<text class="{style}" x="{x + 9}" y="{y}">{escape(line)}</text>')
    if steps := STEPS.get(room):
        for number, step in enumerate(reversed(steps.split(", "))):
            middle = x + WIDTH - 16 - number * 22
            shapes.append(f'<circle cx="{middle}" cy="{top + 14}" r="9"/>')
            shapes.append(
                f'<text class="step" x="{middle}" y="{top + 18}" text-anchor="middle">{step}</text>'
            )
    return shapes


def _arrow(x: int, upper: tuple[int, int], lower: tuple[int, int]) -> str:
    """Draw an arrow down to the next box, or past others along the left edge."""
    if lower[0] - upper[1] == SPACE:
        return f'<path d="M{x + WIDTH // 2} {upper[1]}V{lower[0] - 1}"/>'
    start, end = upper[1] - 9, lower[0] + 9
    return f'<path d="M{x} {start}C{x - 30} {start + 20} {x - 30} {end - 20} {x - 1} {end}"/>'


def _between(needed: dict[str, set[str]]) -> list[str]:
    """Draw an arrow above the columns where a room of one imports a room of another."""
    shapes, parts = [], list(COLUMNS.values())
    for number, rooms in enumerate(parts):
        wanted = set().union(*(needed[room] for room in rooms))
        for other, targets in enumerate(parts):
            if number != other and wanted & set(targets):
                start, end = (GAP + n * (WIDTH + GAP) + WIDTH // 2 for n in (number, other))
                peak = TOP - 20 - 26 * abs(other - number)
                shapes.append(
                    f'<path d="M{start + 20} {TOP - 26}C{start + 60} {peak} '
                    f'{end - 60} {peak} {end - 12} {TOP - 26}"/>'
                )
    return shapes


def with_table(page: str) -> str:
    """Return a page with the table of the rooms as it is now."""
    rows = [
        f"| {name} | {', '.join(f'`{member}`' for member in room.members)} "
        f"| {', '.join(room.may_import) or 'nothing'} |\n"
        for name, room in ROOMS.items()
    ]
    return TABLE.sub("".join(rows), page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
    PICTURE.write_text(draw())
