"""What an import has to say about one page or feed: codes, and a sentence for each."""

from typing import Any

Note = dict[str, Any]
# What is said about all rows with the same note at once; `{name}` is what stands behind the code.
TEXTS = {
    "lost": "landform has no place for {name}",
    "meta-missing": "the site shows no field for {name}",
    "meta-unreadable": "{name} has a value of another type than the site declares, so it is empty",
    "nul": "characters that no database holds were replaced: NUL, or halves of others",
    "control-characters": (
        "characters that no XML may hold, or bytes that are no characters, were replaced"
    ),
    "author-missing": "has no author that landform can hold; author 1 is taken for it",
    "date-missing": "has no date; it is dated 1970-01-01",
    "modified-missing": "was never modified as far as the site knows; its date is taken for it",
    "replaced": "{name} has a value that landform cannot hold, so it is as if there were none",
    "slug-refused": "the slug {name} has characters that landform refuses",
    "slug-missing": "had no slug, and needs one",
    "schedule-missed": "was scheduled, and never published at its date: it is a draft here",
}


def note(code: str, name: str = "", text: str = "") -> Note:
    """Return a note; the text follows from the code where there is none."""
    made = {"code": code, "name": name, "text": text}
    return {key: value for key, value in made.items() if value}


def sentence(given: Note) -> str:
    """Return what a note says."""
    text = str(given.get("text") or TEXTS.get(given["code"], given["code"]))
    return text.replace("{name}", str(given.get("name", "")))
