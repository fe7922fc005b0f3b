"""Merge tags, mails with them, and what a write of a form or feed warns of."""

import re
from pathlib import Path
from typing import Any

import pytest
from applications import Client, service
from desk import Desk
from flask import Flask
from mailboxes import mailbox
from receivers import receiver

from landform.parts.leads.intake.warnings import FIELD_SETTINGS

FIELDS: list[dict[str, Any]] = [
    {"id": 1, "type": "name", "label": "Name", "adminLabel": "Person",
     "inputs": [{"id": "1.3", "label": "First"}, {"id": "1.6", "label": "Last"}]},
    {"id": 2, "type": "email", "label": "E-mail, yours"},
    {"id": 3, "type": "select", "label": "Size", "choices": [{"text": "Large", "value": "l"}]},
    {"id": 4, "type": "hidden", "label": "Campaign", "defaultValue": "ad"},
    {"id": 5, "type": "textarea", "label": "Note"},
]  # fmt: skip
SENT = {"f1_3": "Ada", "f1_6": "L", "f2": "ada@example.com", "f3": "l", "f4": "ad"}
CREATED = "2026-07-01 01:30:05"


@pytest.fixture
def desk(app: Flask, database_url: str) -> Desk:
    desk = Desk(app, database_url)
    desk.add_form(title="Fair", fields=FIELDS)
    return desk


def warning(answer: Any) -> str:
    assert answer.status_code < 300, answer.text
    return str(answer.headers.get("X-Landform-Warning", ""))


def confirmed(desk: Desk, message: str, **more: Any) -> str:
    """Return what a confirmation shows of a message."""
    item = {"id": "c", "isDefault": True, "type": "message", "message": message, **more}
    desk.add_form(title="Fair", fields=FIELDS, confirmations={"c": item})
    sent = {f"input_{name[1:]}": text for name, text in SENT.items()}
    body = desk.ok(desk.post(f"/forms/{desk.form}/submissions", json=sent))
    return str(body.get("confirmation_redirect") or body["confirmation_message"])


ALL = {"Name": "Ada L", "E-mail, yours": "ada@example.com", "Size": "Large", "Campaign": "ad"}


@pytest.mark.parametrize(("modifiers", "pairs"), [
    ("", ALL), (":value", {**ALL, "Size": "l"}), (":empty", {**ALL, "Note": ""}),
    (":admin,nohidden", {"Person": "Ada L", **{k: ALL[k] for k in ("E-mail, yours", "Size")}}),
    (":nopricingfields", ALL),
])  # fmt: skip
def test_all_fields_have_the_modifiers_of_gravity_forms(
    desk: Desk, modifiers: str, pairs: dict[str, str]
) -> None:
    rows = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", confirmed(desk, f"{{all_fields{modifiers}}}"))
    assert dict(rows) == pairs


@pytest.mark.settings(
    ADDON_PRIVATE=True,
    TIMEZONE="America/New_York",
    PUBLIC_URL="https://example.com/x",
    ADMIN_EMAIL="boss@example.com",
)
def test_tags_of_an_entry_its_form_and_the_site(desk: Desk) -> None:
    tags = {
        "{form_id} {form_title}": "2 Fair", "{entry_id} {entry:id}": "1 1",
        "{page_url}|{embed_url}|{source_url}": "|".join(["https://a.example/?b=1"] * 3),
        "{user_agent} {ip} {payment_status}": "Probe 192.0.2.7 Paid",
        "{entry_url}": "https://example.com/x/console#/entries/1",
        "{admin_email}": "boss@example.com",
        "{date_mdy} {date_dmy} {date_ymd}": "06/30/2026 30/06/2026 2026/06/30",
        "{date_created}": "2026-06-30 21:30:05", "{date_created:raw}": CREATED,
        "{date_created:dmy_dot} {date_created:ymd_dash}": "30.06.2026 2026-06-30",
        "{date_created:year}-{date_created:month}-{date_created:day}": "2026-06-30",
        "{date_created:time} {date_created:timestamp}": "21:30 1782869405",
        r"{date_created:format:l, j F Y \a\t g:i a}": "Tuesday, 30 June 2026 at 9:30 pm",
    }  # fmt: skip
    entry = {"source_url": "https://a.example/?b=1", "user_agent": "Probe", "ip": "192.0.2.7",
             "date_created": CREATED, "payment_status": "Paid", "status": "spam"}  # fmt: skip
    with receiver() as hook:
        rows = [{"key": "gf_custom", "custom_key": str(n), "value": "gf_custom",
                 "custom_value": tag} for n, tag in enumerate(tags)]  # fmt: skip
        feed = {"requestURL": hook.url, "requestBodyType": "select_fields", "fieldValues": rows}
        answer = desk.post(f"/forms/{desk.form}/feeds",
                           json={"addon_slug": "gravityformswebhooks", "meta": feed})  # fmt: skip
        assert warning(answer) == ""
        desk.ok(desk.post("/entries", json={"form_id": desk.form, **entry}))
        desk.set_status("1", "active")
        desk.deliver()
    assert [*hook.received[0][1].values()] == [*tags.values()]


UNKNOWN = "{nosuch}|{No:99}|{user:display_name}|{admin_email}|{entry_url}|{Size:3}"
STYLE = "{ color: red; } {} {a;b:99}"


@pytest.mark.settings(ADDON_PRIVATE=True)
def test_an_unknown_tag_is_empty_but_in_a_confirmation_and_is_warned_of(desk: Desk) -> None:
    texts = "{nosuch}, {No:99}, {user:display_name}, {admin_email}, {entry_url}."
    said = f"These merge tags stand for nothing: {texts}"
    assert confirmed(desk, UNKNOWN) == UNKNOWN.replace("{Size:3}", "Large")
    found = confirmed(desk, "x", type="redirect", url="https://a.example/?q=" + UNKNOWN)
    assert found == "https://a.example/?q=|||||Large"
    item = {"id": "c", "isDefault": True, "type": "message", "message": f"{UNKNOWN} {STYLE}"}
    form = {"title": "T", "fields": FIELDS, "confirmations": {"c": item}}
    assert warning(desk.post("/forms", json=form)) == said
    with receiver() as hook, mailbox() as box:
        desk.smtp_url = box.url
        rows = [{"key": "gf_custom", "custom_key": "a", "value": "gf_custom",
                 "custom_value": f"{UNKNOWN}{STYLE}"}]  # fmt: skip
        metas: dict[str, dict[str, Any]] = {
            "gravityformswebhooks": {"requestURL": f"{hook.url}?q={UNKNOWN}", "fieldValues": rows,
                                     "requestBodyType": "select_fields"},
            "gravityformsslack": {"webhookURL": hook.url, "message": f"{UNKNOWN}{STYLE}"},
            "email": {"toEmail": "a@example.com", "message": f"{UNKNOWN}{STYLE}",
                      "subject": "{nosuch}x"},
        }  # fmt: skip
        for slug, meta in metas.items():
            body = {"addon_slug": slug, "meta": meta}
            assert said in warning(desk.post(f"/forms/{desk.form}/feeds", json=body))
            # Which fields the forms have is not known.
            every = warning(desk.post("/forms/0/feeds", json=body))
            assert "{nosuch}, {user:display_name}" in every
        desk.submit(**SENT)
        desk.deliver()
    bodies = [str(event) for _, event, _, _ in hook.received]
    assert [f"|||||Large{STYLE}" in body for body in bodies] == [True, True], bodies
    mail = box.accepted[0][1]
    assert (mail["Subject"], mail.get_content().strip()) == ("x", f"|||||Large{STYLE}")


def test_a_feed_that_names_a_field_that_is_not_there_is_warned_of(desk: Desk) -> None:
    for field, expected in (("2", ""), ("99", "stand for nothing: {:99}.")):
        body = {"addon_slug": "email", "meta": {"toField": field}}
        assert expected in warning(desk.post(f"/forms/{desk.form}/feeds", json=body))


@pytest.mark.parametrize(("meta", "headers", "recipients"), [
    ({"replyTo": '"Doe, Jane" <jane@x.example>, bob@x.example'},
     {"Reply-To": '"Doe, Jane" <jane@x.example>, bob@x.example'}, []),
    ({"replyTo": "{Name:1} <{E-mail, yours:2}>"}, {"Reply-To": "Ada L <ada@example.com>"}, []),
    ({"replyTo": '"{First:1.3} (Fair), Inc." <{:2}>, team@x.example'},
     {"Reply-To": '"Ada (Fair), Inc." <ada@example.com>, team@x.example'}, []),
    ({"replyTo": "Größe & Co. <a@x.example>"}, {"Reply-To": '"Größe & Co." <a@x.example>'}, []),
    ({"replyTo": "Team: a@x.example, B <b@x.example>;"},
     {"Reply-To": "a@x.example, B <b@x.example>"}, []),
    ({"replyTo": "{Note:5}"}, {"Reply-To": None}, []),
    ({"cc": "C <c@x.example>, {:2}", "bcc": "\xa0d@x.example"},
     {"Cc": "C <c@x.example>, ada@example.com"},
     ["c@x.example", "ada@example.com", "d@x.example"]),
    ({"cc": "{Note:5}", "bcc": "{:2}, {Note:5}"}, {"Cc": None}, ["ada@example.com"]),
    ({"toEmail": "Sales <sales@example.com>, sales@example.com"},
     {"To": "Sales <sales@example.com>, sales@example.com"}, []),
])  # fmt: skip
@pytest.mark.settings(ADDON_PRIVATE=True)
def test_addresses_of_a_mail_may_have_names_and_merge_tags(
    desk: Desk, meta: dict[str, str], headers: dict[str, str | None], recipients: list[str]
) -> None:
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.add_feed("email", **{"toEmail": "sales@example.com", **meta})
        desk.submit(**SENT)
        desk.deliver()
    ((sent_to, mail),) = box.accepted
    assert sorted(sent_to) == sorted({"sales@example.com", *recipients})
    assert {name: mail[name] for name in headers} == headers
    assert "Bcc" not in mail


@pytest.mark.parametrize(("name", "text"), [
    *((name, "Ada ada@x.example") for name in ("toEmail", "replyTo", "cc", "bcc")),
    ("replyTo", "a@x.example; b@x.example"), ("replyTo", "nobody"), ("cc", "<a@x.example"),
    ("bcc", "a@x.example b@x.example"), ("cc", '"a@x.example'), ("replyTo", "{Name:1} {:2}"),
    ("cc", "(" * 3000), ("cc", ", ".join(["a@x.example"] * 20)), ("messageFormat", "rtf"),
])  # fmt: skip
@pytest.mark.settings(ADDON_PRIVATE=True)
def test_a_mail_goes_without_addresses_that_cannot_be_read_and_not_without_its_recipients(
    desk: Desk, name: str, text: str
) -> None:
    body = {"addon_slug": "email", "meta": {"toEmail": "sales@example.com", name: text}}
    said = warning(desk.post(f"/forms/{desk.form}/feeds", json=body))
    is_sent = name != "toEmail" and "more than 20 recipients" not in said
    assert f"The {name} of the feed" in said or name in said or not is_sent
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.submit(**SENT)
        desk.deliver()
    [run] = desk.runs()
    told = {"messageFormat": ""}.get(
        name, f"The mail was sent without what is no address in {name}."
    )
    assert (run["state"], run["message"]) == (("success", told) if is_sent else ("failed", said))
    assert [to for to, _ in box.accepted] == ([["sales@example.com"]] if is_sent else [])


@pytest.mark.settings(ADDON_PRIVATE=True)
def test_a_run_names_each_setting_whose_values_are_no_addresses_but_no_value(desk: Desk) -> None:
    with mailbox() as box:
        desk.smtp_url = box.url
        meta = {"cc": "{Name:1}, c@x.example", "bcc": "{Note:5}", "replyTo": "{Name:1}"}
        desk.add_feed("email", toEmail="sales@example.com", **meta)
        desk.submit(**SENT)
        desk.deliver()
    assert sorted(box.accepted[0][0]) == ["c@x.example", "sales@example.com"]
    told = "The mail was sent without what is no address in cc and replyTo."
    assert (desk.runs()[0]["state"], desk.runs()[0]["message"]) == ("success", told)


def test_what_an_add_on_returns_is_shown_if_it_is_a_text(desk: Desk) -> None:
    for number, returned in enumerate((None, 7, "Added.\0\n" + "x" * 600)):
        desk.landing.addons[f"crm{number}"] = lambda *_, returned=returned: returned
        desk.add_feed(f"crm{number}")
    desk.submit(**SENT)
    desk.deliver()
    assert {run["state"] for run in desk.runs()} == {"success"}
    shown = sorted(run["message"] for run in desk.runs())
    assert shown == ["", "", ("Added.  " + "x" * 600)[:500]]


HTML = ('<h1>Hi &amp; {First:1.3}</h1>\n<p>See <a href="https://x.example/?a=1&amp;b=2">the\nfair</a>'
        "<br>{Note:5}</p>{all_fields}")  # fmt: skip


@pytest.mark.settings(ADDON_PRIVATE=True)
def test_a_mail_in_html_has_a_plain_text_and_values_that_are_text(desk: Desk) -> None:
    attack = '<script>x</script> "{Size:3}"\nsecond line é'
    with mailbox() as box:
        desk.smtp_url = box.url
        desk.add_feed("email", toEmail="a@example.com", messageFormat="HTML", message=HTML)
        desk.add_feed("email", toEmail="b@example.com", messageFormat="html", message="A\n{Note:5}")
        desk.submit(**{**SENT, "f1_3": "Ä & B", "f5": attack})
        desk.deliver()
    mails = {to[0]: mail for to, mail in box.accepted}
    mail = mails["a@example.com"]
    assert mail.get_content_type() == "multipart/alternative"
    plain, html = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert plain.splitlines()[:4] == [
        "Hi & Ä & B", "See the fair (https://x.example/?a=1&b=2)",
        '<script>x</script> "{Size:3}"', "second line é",
    ]  # fmt: skip
    assert "Size: Large" in plain
    escaped = "&lt;script&gt;x&lt;/script&gt; &quot;{Size:3}&quot;<br>"
    assert ("<h1>Hi &amp; Ä &amp; B</h1>" in html, escaped in html) == (True, True)
    assert ("<dt>Size</dt><dd>Large</dd>" in html, "<script" in html) == (True, False)
    assert mails["b@example.com"].get_body(("html",)).get_content().startswith("A<br>\r\n&lt;sc")


def test_the_address_of_the_admin_gets_mails_and_tests_of_them(desk: Desk) -> None:
    with mailbox() as box:
        mailing = service(
            desk.url, ADDON_PRIVATE=True, SMTP_URL=box.url, ADMIN_EMAIL="boss@example.com"
        )
        meta = {"toEmail": "The boss <{admin_email}>", "cc": "c@example.com"}
        feed = mailing.feed(form_id=desk.form, addon_slug="email", meta=meta)["id"]
        assert mailing.post(f"/feeds/{feed}/test").get_json()["state"] == "success"
        desk.submit(**SENT)
        landing: Any = mailing.application.blueprints["landform"]
        landing.deliver()
        mailing.store.dispose()
    sent_to = [recipients for recipients, _ in box.accepted]
    assert sent_to == [["boss@example.com"], ["c@example.com", "boss@example.com"]]


NOTIFICATIONS = {
    "a": {"id": "a", "name": "Admin", "isActive": True, "event": "form_submission"},
    "b": {"id": "b", "name": "Off", "isActive": False},
}
SAVE = {"enabled": True, "button": {"type": "link"}}
PERSONAL = {"preventIP": False, "retention": {"policy": "delete", "retain_entries_days": 30}}


@pytest.mark.parametrize(("form", "field", "said"), [
    ({"notifications": NOTIFICATIONS}, {},
     "Notifications are not sent: Admin. A feed of the add-on email does it."),
    ({"notifications": [*NOTIFICATIONS.values()]}, {}, "Notifications are not sent: Admin. A feed"),
    ({"notifications": {"b": NOTIFICATIONS["b"]}}, {}, ""),
    ({"notifications": "x"}, {}, ""), ({"notifications": {"a": 1}}, {}, ""),
    ({"save": SAVE}, {}, "Not carried out: visitors cannot save it and go on later."),
    ({"save": {**SAVE, "enabled": False}}, {}, ""),
    ({"personalData": PERSONAL}, {}, "Not carried out: entries are kept as retention_days says."),
    ({"personalData": {"retention": {"policy": "retain"}}}, {}, ""),
    ({}, {"type": "number", "enableCalculation": True}, "Not carried out: field 1 is not calc"),
    ({}, {"type": "number", "enableCalculation": ""}, ""),
    ({}, {"inputMask": True, "defaultValue": "{user:login}"},
     "Not carried out: field 1 has no input mask; field 1 begins with a merge tag as it is."),
    ({"description": '<iframe src="https://x.example"></iframe>'}, {},
     "Left out of the HTML: src of iframe."),
    ({}, {"type": "html", "content": '<form><b>x</b></form><a href="sms:1">y</a>'},
     "Left out of the HTML: form, href sms: of a."),
    ({"confirmations": [{"type": "message", "isDefault": True,
                         "message": '<p onclick="x">é <a href="webcal:x">{:1}</a></p>'}]}, {},
     "Left out of the HTML: href webcal: of a, onclick of p."),
    ({"confirmations": [{"type": "message", "message": '<a href="{embed_url}">{:1}</a>'}]}, {}, ""),
])  # fmt: skip
def test_a_write_of_a_form_warns_of_what_it_asks_for_and_nobody_gets(
    client: Client, form: Any, field: Any, said: str
) -> None:
    fields = [{"id": 1, "type": "text", "label": "A", **field}]
    body = {"title": "F", "fields": fields, **form}
    found = warning(client.post("/forms", json=body))
    assert found.startswith(said) if said else found == ""
    assert warning(client.put("/forms/1", json={**body, "title": "G"})) == found
    assert "X-Landform-Warning" not in client.get("/forms/1").headers


def test_the_docs_have_all_that_a_form_asks_for_in_vain() -> None:
    text = (Path(__file__).parents[3] / "docs/parts/leads.md").read_text()
    settings = ("notifications", "save", "personalData", *FIELD_SETTINGS)
    assert [name for name in settings if f"`{name}`" not in text] == []
