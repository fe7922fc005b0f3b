"""Names as somebody sent them, as they may be shown in a header or an error.

A label is ASCII without commas and blanks, so that several of them make a list in a header, and
both its length and the number of labels have a bound. What stands in parentheses is no name.
"""

from urllib.parse import quote

from landform.schemas.known_names import Path

MOST_NAMES, LONGEST_NAME, LONGEST_LIST = 20, 48, 1000
# What must be data that was taken for a name, and so may be secret.
UNREADABLE = "(unreadable)"
DATA = frozenset('{}"<> \t\r\n')


def make_labels(paths: list[Path]) -> list[str]:
    """Return as many names as may be shown, each once, and how many more there are."""
    labels = list(dict.fromkeys(map(_label, paths[:MOST_NAMES])))
    rest = len(paths) - len(paths[:MOST_NAMES])
    while sum(map(len, labels)) > LONGEST_LIST:
        labels.pop()
        rest += 1
    return [*labels, *([f"({rest} more)"] if rest else [])]


def _label(path: Path) -> str:
    """Return where a name stands: inner ones follow a dot."""
    return ".".join(map(_label_of_name, path))


def _label_of_name(name: str) -> str:
    cut = name[:LONGEST_NAME]
    if not cut or DATA.intersection(cut):
        return UNREADABLE
    text = quote(cut, safe="@:$~/", errors="replace").replace(".", "%2E")
    return text if cut == name else f"{text}..."
