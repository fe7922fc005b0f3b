"""Signing in to the console: what is asked, where credentials are kept, and what they allow."""

import json
from typing import Any

import pytest
from browsers import Console, keys, make_key


@pytest.fixture
def outside(console: Console) -> Console:
    """The console for somebody who has not signed in."""
    console.driver.execute_script("sessionStorage.clear()")
    return console


def sign_in(console: Console, name: str, secret: str, *, keep: bool = False) -> None:
    """Type credentials where they are asked for."""
    console.type("Name", name)
    console.type("Secret or key", secret)
    if keep:
        console.field("Keep me signed in until this tab is closed").click()
    console.find("//dialog//button[.='Sign in']").click()


def kept(console: Console) -> dict[str, Any]:
    """Return what the browser keeps, and where."""
    script = "return [{...sessionStorage}, {...localStorage}, document.cookie]"
    session, local, cookie = console.driver.execute_script(script)
    cookies = console.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    return {"session": session, "local": local, "cookies": [*cookies, *filter(None, [cookie])]}


def test_credentials_are_kept_in_memory_alone_and_in_no_address(outside: Console) -> None:
    outside.open("#/pages")
    sign_in(outside, "admin", "secret")
    outside.sees("admin", "Sign out")
    assert outside.driver.current_url.endswith("/console#/pages")
    assert kept(outside) == {"session": {}, "local": {}, "cookies": []}
    outside.driver.refresh()
    outside.sees("Secret or key")


def test_who_asks_for_it_is_signed_in_until_the_tab_closes_or_signs_out(outside: Console) -> None:
    secret = make_key(outside.server, "pages:read", name="kept")
    outside.open("#/pages")
    sign_in(outside, "", secret, keep=True)
    outside.sees("kept", "Sign out")
    stored = kept(outside)
    assert [json.loads(one) for one in stored.pop("session").values()] == [
        {"name": "", "secret": secret}
    ]
    assert stored == {"local": {}, "cookies": []}
    outside.driver.refresh()
    outside.sees("kept", "Sign out")
    outside.click("Sign out", sees="Secret or key")
    assert kept(outside)["session"] == {}


def test_wrong_credentials_are_refused_in_the_words_of_the_service(outside: Console) -> None:
    outside.open("#/feeds")
    sign_in(outside, "admin", "wrong")
    headers = {"X-API-Key": "wrong"}
    told = json.loads(outside.server.send("GET", "/whoami", headers, None)[2])["message"]
    outside.sees(told)
    assert outside.focused == "Secret or key"
    sign_in(outside, "admin", "secret")
    outside.sees("Sign out")
    outside.misses(told)


def test_a_401_in_the_middle_asks_again_and_goes_on_with_what_was_typed(console: Console) -> None:
    _, page = console.server.call("POST", "/pages", {"title": "Before"})
    console.sign_in("", make_key(console.server, "pages:read", "pages:write", name="ends"))
    console.open(f"#/pages/{page['id']}")
    console.field("Title")
    keys(console.server, "revoke", "ends")
    # The preview is refused first.
    console.type("Title", "After")
    sign_in(console, "admin", "secret")
    console.misses("Secret or key")
    assert console.value("Title") == "After"
    console.click("Save", sees="The page was saved.")
    _, page = console.server.call("GET", f"/pages/{page['id']}?context=edit")
    assert page["title"]["raw"] == "After"


NEW: dict[str, dict[str, Any]] = {
    "pages": {"title": "A page"},
    "feeds": {"form_id": 3, "addon_slug": "crm", "meta": {"feedName": "A feed"}},
}


@pytest.mark.parametrize(("kind", "places", "screens"), [
    ("pages", ["Pages"], ["#/pages", "#/pages/{}/revisions", "#/pages/{}"]),
    ("feeds", ["Feeds", "Runs"], ["#/feeds?form_id=3", "#/runs", "#/feeds/{}"]),
])  # fmt: skip
def test_a_key_to_read_is_offered_no_other_place_and_nothing_that_writes(
    console: Console, kind: str, places: list[str], screens: list[str]
) -> None:
    status, made = console.server.call("POST", f"/{kind}", NEW[kind])
    assert status == 201
    console.sign_in("", make_key(console.server, f"{kind}:read"))
    for address in screens:
        console.open(address.format(made["id"]))
        console.find("//h1")
        console.misses("Loading")
        links = [link.text for link in console.driver.find_elements("css selector", "header nav a")]
        assert links == ["Start", *places]
        buttons = console.driver.find_elements("css selector", "main button")
        words = " ".join(button.text for button in buttons).split()
        for write in ("New", "Save", "Publish", "trash", "Delete", "Duplicate", "Restore", "Put"):
            assert write not in words, (address, write)
    # What is on the last screen is text.
    console.sees(f"{NEW[kind].get('title') or 'crm'}")
    assert not console.driver.find_elements("css selector", "main :is(input, textarea, select)")
