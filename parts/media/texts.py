"""The texts of pictures: title, caption and description are HTML for readers, `alt_text` is not."""

from landform.parts.media.models import TEXTS
from landform.service.auth.credentials import Identity
from landform.service.pipeline.json_codec import JsonObject
from landform.service.rendering.content import (
    check_growth,
    clean_html,
    render_content,
    render_title,
    visible_text,
)
from landform.storage.rows import Row


def columns_of(values: JsonObject, caller: Identity) -> Row:
    """Return the columns of a write, with its texts rendered.

    The HTML of a caller without the scope html:unfiltered is cleaned. Raises `ValidationError` for
    a text that would take too long.
    """
    columns: Row = {name: values[name] for name in ("slug", "date", "author") if name in values}
    for name in TEXTS:
        if (raw := values.get(name)) is None:
            continue
        html = render_title(raw) if name == "title" else render_content(raw)[0]
        rendered = html if caller.may_write_any_html else clean_html(name, html)
        check_growth(name, raw, rendered)
        columns |= {f"{name}_raw": raw, f"{name}_rendered": rendered}
    if "alt_text" in values:
        columns["alt_text"] = " ".join(visible_text(values["alt_text"]).split())
    if "post" in values:
        columns["page"] = values["post"] or 0
    return columns
