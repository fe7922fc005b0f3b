"""The honeypot: an input that people do not see, and programs fill in."""

from collections.abc import Mapping
from typing import Any


def honeypot_name(form: Mapping[str, Any]) -> str:
    """Return the name of the honeypot of a form: that of the input after the last one."""
    return f"input_{max((field['id'] for field in form['fields']), default=0) + 1}"


def is_spam(form: Mapping[str, Any], sent: Mapping[str, Any], *, from_page: bool) -> bool:
    """Return whether the honeypot was filled in.

    The forms of landform's pages always have one; others have it with `enableHoneypot`.
    """
    has_honeypot = from_page or bool(form.get("enableHoneypot"))
    return has_honeypot and sent.get(honeypot_name(form)) not in (None, "", [], {}, False)
