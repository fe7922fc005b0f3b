"""The forms in a page, which parts show: at markers of its content, or after it."""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from landform.service.call import Call
from landform.service.rendering.form_markers import START, place_forms

# A page shows no more than these.
MOST_FORMS = 10


class Forms(NamedTuple):
    """The content of a page with the forms at its markers, and the form after it.

    `style`: the style sheets of the forms. `etag`: a text for the entity tag; empty without forms.
    `tables`: those that the forms depend on. `is_private`: they are for this visitor only.
    """

    content: str
    form: str = ""
    style: str = ""
    etag: str = ""
    tables: tuple[str, ...] = ()
    is_private: bool = False


def show_forms(call: Call, visited: Any, sent: Mapping[str, Any] | None = None) -> Forms:
    """Return the forms of a visited page, each shown once.

    `sent`: the `PageForm` of a form that was sent, by its id.
    """
    page, render = visited.page, call.service.site.render
    # A page's own form is in its meta.
    content, own_id = page["content_rendered"], str(json.loads(page["meta"]).get("form_id") or "")
    if not own_id and START not in content:
        return Forms(content)
    forms = dict[str, Any]()

    def show(form_id: str) -> str:
        form_id = form_id or own_id
        if not form_id or form_id in forms or len(forms) == MOST_FORMS:
            return ""
        form = (sent or {}).get(form_id) or find_form(call, form_id, visited)
        forms[form_id] = form
        return render(form.template, form.values).decode() if form else ""

    content, after = place_forms(content, show), show("")
    rendered = [form for form in forms.values() if form]
    return Forms(
        content,
        after,
        b"".join(render(style, {}) for style in {form.style: None for form in rendered}).decode(),
        blake2b(f"{content}\0{after}".encode(), digest_size=9).hexdigest(),
        tuple(name for part in call.options.named_parts for name in part.form_tables),
        any(form.is_private for form in rendered),
    )


def find_form(call: Call, form_id: str, visited: Any) -> Any:
    """Return the `PageForm` of the first part that shows this form, or None."""
    forms = (part.page_form(call, form_id, visited) for part in call.options.named_parts)
    return next(filter(None, forms), None)
