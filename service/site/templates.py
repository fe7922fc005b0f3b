"""The templates of the site: landform's own, and those of a folder that come before them.

All are read once, when the blueprint is made: a template that changes counts from the next start
on, in every worker.
"""

import logging
import traceback
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from jinja2 import ChoiceLoader, DictLoader, Environment, PrefixLoader, TemplateSyntaxError

from landform.service.errors import internal_error

log = logging.getLogger("landform")

DEFAULTS = Path(__file__).parent / "templates"
# Below this name a template finds the one that it stands in for, to extend it.
ORIGINAL = "landform"
# How Jinja names what comes from no file.
UNNAMED = "<template>"


class Templates:
    """The templates of one site. `folder`: those of its own; `digest` differs with any of them."""

    def __init__(self, folder: str | None) -> None:
        if folder and not Path(folder).is_dir():
            raise ValueError("templates must be a folder that is there")
        original = _read(DEFAULTS)
        own = _read(Path(folder)) if folder else {}
        prefixed = PrefixLoader({ORIGINAL: DictLoader(original)})
        self._environment = Environment(
            loader=ChoiceLoader([DictLoader({**original, **own}), prefixed]),
            autoescape=True,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        text = repr(sorted({**original, **own}.items()))
        self.digest = blake2b(text.encode(errors="surrogatepass"), digest_size=9).hexdigest()

    def render(self, name: str, values: Mapping[str, object]) -> bytes:
        """Return what a template makes of values, in UTF-8.

        Raises the error of a 500 where it cannot be rendered, and logs the reason.
        """
        try:
            return self._environment.get_template(name).render(values).encode()
        except Exception as error:
            log.error(
                "The template %s cannot be rendered: %s: %s%s",
                name, type(error).__name__, error, _place(error),
            )  # fmt: skip
            raise internal_error() from None


def _read(folder: Path) -> dict[str, str]:
    """Return the templates of a folder, and of those in it, by name."""
    found: dict[str, str] = {}
    for file in filter(Path.is_file, sorted(folder.rglob("*.html"))):
        name = file.relative_to(folder).as_posix()
        try:
            found[name] = file.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            what = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise ValueError(f"templates: {name} cannot be read: {what}") from None
    return found


def _place(error: Exception) -> str:
    """Return where in which template an error is, as far as that is known."""
    if isinstance(error, TemplateSyntaxError):
        return f" (line {error.lineno} of {error.name})"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == UNNAMED]
    return f" (line {lines[-1]})" if lines else ""
