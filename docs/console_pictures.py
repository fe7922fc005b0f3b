"""Make the pictures of docs/parts/console.md: `python docs/console_pictures.py`.

It needs chromium with its driver, and the extra `test`.
"""

import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

import requests
from pictures import browser, running, take

# The name of a picture, its address, its width, and whether it is dark.
PICTURES = [
    ("start", "", 1280, False),
    ("light", "pages/1", 1280, False),
    ("dark", "pages", 1280, True),
    ("form", "forms/1", 1280, False),
    ("entries", "entries", 1280, True),
    ("feed", "feeds/1", 1280, False),
    ("phone", "pages", 390, False),
]
CONTENT = """<!-- wp:paragraph -->
<p>{}: tell us who you are, and <strong>take part</strong>.</p>
<!-- /wp:paragraph -->

<!-- wp:buttons -->
<div class="wp-block-buttons"><!-- wp:button -->
<div class="wp-block-button"><a class="wp-block-button__link" href="#form_1">Take part</a></div>
<!-- /wp:button --></div>
<!-- /wp:buttons -->"""
FIELDS = [
    {"id": 1, "type": "text", "label": "Name"},
    {"id": 2, "type": "email", "label": "E-mail", "isRequired": True},
    {
        "id": 3,
        "type": "select",
        "label": "Size of your team",
        "choices": [{"text": text, "value": text} for text in ("Just me", "2 to 10", "More")],
    },
]
NAMES = ("Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov")
MAIL = {"toEmail": "sales@example.com", "replyTo": "{E-mail:2}", "message": "{all_fields}"}
RULES = [{"fieldId": "3", "operator": "is", "value": "More"}]
FEED = {
    "feedName": "Large teams to sales",
    "subject": "A lead from {form_title}",
    **MAIL,
    "feed_condition_conditional_logic": "1",
    "feed_condition_conditional_logic_object": {
        "conditionalLogic": {"actionType": "show", "logicType": "all", "rules": RULES}
    },
}
TITLES = ("Summer sale", "Win a bicycle", "Open day", "Newsletter", "Thank you")


def fill(url: str) -> None:
    """Write a form with entries and a feed, and some pages."""

    def post(path: str, body: dict[str, Any]) -> None:
        requests.post(f"{url}/{path}", json=body, timeout=5).raise_for_status()

    post("forms", {"title": "Take part", "fields": FIELDS})
    post("forms", {"title": "Newsletter", "fields": FIELDS[:2]})
    post("feeds", {"form_id": 1, "addon_slug": "email", "is_active": True, "meta": FEED})
    for number in range(40):
        sent = datetime.now(UTC) - timedelta(hours=number * number % 310)
        name = NAMES[number % len(NAMES)]
        mail = f"{name.split()[0].lower()}@example.com"
        values = {"1": name, "2": mail, "3": "2 to 10", "is_read": int(number > 9)}
        post("entries", {"form_id": 1 + number % 2, "date_created": f"{sent:%F %T}", **values})
    for number, title in enumerate(TITLES):
        status = ("publish", "draft", "publish", "private", "publish")[number]
        meta = {"form_id": "1", "language": ["en"], "ends_at": "2030-12-24" if number < 2 else ""}
        content = CONTENT.format(title)
        post("pages", {"title": title, "content": content, "status": status, "meta": meta})


def main() -> None:
    """Fill a service, and take each picture."""
    with tempfile.TemporaryDirectory() as folder, running(folder) as url, browser() as driver:
        fill(url)
        for name, address, width, is_dark in PICTURES:
            target = f"{url}/console#/{address}"
            take(driver, target, f"parts/console-{name}", width, is_dark=is_dark, most=800)


if __name__ == "__main__":
    main()
