"""What leads add to tables of all operations (see `part_tables.py`)."""

from typing import Any

# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("forms:read", "rest_forbidden"): "GET /forms, GET /forms/1",
    ("forms:write", "rest_forbidden"): "POST /forms, PUT /forms/1, DELETE /forms/1",
    ("entries:read", "rest_forbidden"): "GET /entries, GET /forms/1/entries, GET /entries/1,"
    " GET /entries/1/notes, GET /notes/1",
    ("entries:write", "rest_forbidden"): "POST /entries, POST /forms/1/entries, PUT /entries/1,"
    " PATCH /entries/1, PUT /entries/1/properties, DELETE /entries/1,"
    " POST /entries/1/notifications?_notifications=1,"
    " POST /entries/erase, POST /entries/1/notes, PUT /notes/1, DELETE /notes/1",
    ("feeds:write", "rest_forbidden"): "POST /feeds/1/test",
}
FORM = {"title": "Contact", "fields": [{"id": 1, "type": "email", "label": "E-mail"}]}
# Bodies and queries that are wrong, with the name of what is wrong.
FORMS: list[tuple[Any, str]] = [
    *(({**FORM, "title": title}, "title") for title in ("x" * 256, ["x"], "a\nb")),
    *(({**FORM, "is_active": value}, "is_active") for value in ("maybe", 2, [])),
    *(({**FORM, "retention_days": days}, "retention_days") for days in (0, "soon", 36_501)),
    *(({**FORM, "confirmations": value}, "confirmations") for value in ("x", [1], {"a": 1})),
]
FIELDS: list[Any] = [
    *([1], [{"id": -1}], [{"id": 100_000}], [{"id": True}], [{"id": "x"}], [{"type": 1}]),
    *([{"label": {}}], [{"id": 1}, {"id": 1}], [{"choices": ["a"]}], [{"inputs": "1.3"}]),
    *([{"id": 1, "inputs": [{"id": "2.3"}]}], [{"id": 99_999}, {}]),
]
ENTRIES: list[tuple[Any, str]] = [
    *(({"form_id": 1, "is_read": value}, "is_read") for value in ("yes", 2)),
    ({"form_id": 1, "status": "gone"}, "status"),
    ({"form_id": 1, "date_created": "soon"}, "date_created"),
    ({"form_id": 1, "1": {"a": 1}}, "1"),
    ({"form_id": 1, "1": "\0"}, "1"),
]
NOTES: list[tuple[Any, str]] = [({"value": value}, "value") for value in ("", 1, "\0", ["x"])]
SEARCHES = (
    *("{", "[1]", '{"status": 1}', '{"start_date": "soon"}', '{"field_filters": [1]}'),
    *('{"field_filters": [{"operator": "near"}]}', '{"field_filters": [{"key": "secret"}]}'),
    '{"field_filters": [{"value": {"a": 1}}]}',
)
WRONG: dict[str, list[tuple[Any, str]]] = {
    "POST /forms": [*FORMS, *(({**FORM, "fields": fields}, "fields") for fields in FIELDS)],
    "PUT /forms/1": FORMS,
    "POST /entries": [
        ({"1": "x"}, "form_id"),
        ({"form_id": 1, "1": "\ufdfa" * 8_000}, "1"),
        *ENTRIES,
    ],
    "PUT /entries/1": ENTRIES,
    "PATCH /entries/1": ENTRIES,
    "POST /entries/erase": [({}, "email"), ({"email": ""}, "email"), ({"email": 1}, "email")],
    "POST /entries/1/notes": NOTES,
    "PUT /notes/1": NOTES,
    "GET /entries": [
        *(("search=" + text, "search") for text in SEARCHES),
        *((f"paging[page_size]={size}", "paging.page_size") for size in (0, 201, "x")),
        *((f"sorting[{name}]=secret", f"sorting.{name}") for name in ("key", "direction")),
        ("include=x", "include"),
    ],
}
# Requests that change something, and lists in which it would be seen.
WRITES: list[tuple[str, str, Any]] = [("POST", "/forms", FORM)]
LISTS = ["/forms", "/entries"]
# How a row is created whose id is in a path.
CREATED: dict[str, tuple[str, Any]] = {
    "<entry_id>": ("/entries", {"form_id": 1, "1": "x"}),
    "<note_id>": ("/entries/1/notes", {"value": "x"}),
}
# Paths of operations that a batch does not carry out.
NOT_IN_BATCH = "/forms/1/submissions /feeds/1/test"

# Requests of strangers.
PUBLIC = ["POST /forms/1/submissions", "POST /forms/1/submissions/validation"]
# What has to be there before something is created.
FIRST: list[tuple[str, Any]] = [("/forms", FORM)]


def use(check: Any) -> None:
    """Call every operation of leads, below each base."""
    for base in ("", "/wp-json/gf/v2"):
        check("GET", f"{base}/forms")
        form = check("POST", f"{base}/forms", {**FORM, "retention_days": 9, "own": {"key": [1]}})
        one = f"{base}/forms/{form['id']}"
        check("GET", one)
        check("GET", f"{base}/forms")
        check("GET", f"{base}/forms?include={form['id']}")
        check("GET", f"{base}/forms?include=999")
        check("PUT", one, {**FORM, "title": "Other"})
        use_submissions(check, f"{one}/submissions")
        use_entries(check, base, one)
        mail = {"form_id": form["id"], "addon_slug": "email", "meta": {"toEmail": "a@example.com"}}
        check("POST", f"/feeds/{check('POST', '/feeds', mail)['id']}/test")
        check("DELETE", one)
        check("DELETE", f"{one}?force=true")


def use_submissions(check: Any, path: str) -> None:
    for email in ("ada@example.com", "wrong"):
        check("POST", path, {"input_1": email})
        check("POST", f"{path}?_validate_only=1", {"input_1": email})
        check("POST", f"{path}/validation", {"input_1": email})


def use_entries(check: Any, base: str, form: str) -> None:
    entry = check("POST", f"{form}/entries", {"1": "bob@example.com", "payment_amount": 9.5})
    one = f"{base}/entries/{entry['id']}"
    for path in (f"{base}/entries", f"{form}/entries"):
        for query in ("", "?_labels=1", f"?include={entry['id']}&_labels=1", "?include=999"):
            check("GET", f"{path}{query}")
    check("GET", f"{one}?_labels=1")
    check("PUT", one, {"1": "carol@example.com", "created_by": None})
    check("PATCH", one, {"1": "dave@example.com"})
    check("PUT", f"{one}/properties", {"is_read": True})
    check("PUT", f"{one}/properties", {})
    check("POST", f"{one}/notifications?_notifications=1")
    check("GET", f"{one}/notes")
    note = check("POST", f"{one}/notes", {"value": "Called back."})
    check("GET", f"{one}/notes")
    check("GET", f"{base}/notes/{note['id']}")
    check("PUT", f"{base}/notes/{note['id']}", {**note, "value": "Called twice."})
    check("DELETE", f"{base}/notes/{note['id']}")
    check("DELETE", one)
    check("DELETE", f"{one}?force=true")
    check("POST", f"{base}/entries", {"form_id": int(form.rpartition("/")[2]), "1": ""})
    check("POST", f"{base}/entries/erase", {"email": "ada@example.com"})
