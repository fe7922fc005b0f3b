"""Signing in to the console: what is asked, where credentials are kept, and what they allow."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import AXE, Console, keys, make_key
from conftest import Server, needs

VALIDATOR = AXE.parents[1] / ".bin" / "html-validate"


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


def test_who_asks_for_it_is_signed_in_until_the_tab_is_closed_or_signs_out(
    outside: Console, console_server: Server
) -> None:
    secret = make_key(console_server, "pages:read", name="kept")
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
    outside.click("Sign out")
    outside.sees("Secret or key")
    assert kept(outside)["session"] == {}


def test_wrong_credentials_are_refused_in_the_words_of_the_service(
    outside: Console, console_server: Server
) -> None:
    outside.open("#/feeds")
    sign_in(outside, "admin", "wrong")
    headers = {"X-API-Key": "wrong"}
    told = json.loads(console_server.send("GET", "/whoami", headers, None)[2])["message"]
    outside.sees(told)
    sign_in(outside, "admin", "secret")
    outside.sees("Sign out")
    outside.misses(told)


def test_a_401_in_the_middle_asks_again_and_goes_on_with_what_was_typed(
    console: Console, console_server: Server
) -> None:
    _, page = console_server.call("POST", "/pages", {"title": "Before"})
    console.sign_in("", make_key(console_server, "pages:read", "pages:write", name="ends"))
    console.open(f"#/pages/{page['id']}")
    console.field("Title")
    keys(console_server, "revoke", "ends")
    # The preview is refused first.
    console.type("Title", "After")
    sign_in(console, "admin", "secret")
    console.misses("Secret or key")
    assert console.value("Title") == "After"
    console.click("Save")
    console.sees("The page was saved.")
    _, page = console_server.call("GET", f"/pages/{page['id']}?context=edit")
    assert page["title"]["raw"] == "After"


def test_a_key_to_read_pages_is_offered_no_other_place_and_nothing_that_writes(
    console: Console, console_server: Server
) -> None:
    _, page = console_server.call("POST", "/pages", {"title": "To be read"})
    console.sign_in("", make_key(console_server, "pages:read"))
    console.open("#/pages")
    console.sees("To be read")
    links = [link.text for link in console.driver.find_elements("css selector", "header nav a")]
    assert links == ["Start", "Pages"]
    for address in ("#/pages", f"#/pages/{page['id']}", f"#/pages/{page['id']}/revisions"):
        console.open(address)
        console.misses("Loading")
        console.find("//h1")
        assert "New page" not in console.text
        buttons = console.driver.find_elements("css selector", "main button")
        names = " ".join(button.text for button in buttons).split()
        for write in ("Save", "Publish", "trash", "Delete", "Restore", "Put", "Create"):
            assert write not in names, (address, write)


def test_local_mode_asks_for_nothing(
    console_driver: Any, start_server: Callable[..., Server]
) -> None:
    console = Console(console_driver, start_server(LANDFORM_CREDENTIALS="", LANDFORM_WORKERS="1"))
    console.open("#/feeds")
    console.sees("No form has feeds.")
    assert "Sign out" not in console.text
    assert console.driver.find_elements("css selector", "dialog") == []


# Among the tests that have the validator installed.
@pytest.mark.clients
@pytest.mark.skipif(not VALIDATOR.exists(), reason="make clients was not run")
@needs("node")
def test_a_validator_finds_nothing_in_the_page(console_server: Server, tmp_path: Path) -> None:
    _, _, body = console_server.send("GET", "/console", {}, None)
    (tmp_path / "console.html").write_bytes(body)
    (tmp_path / "package.json").write_text("{}")
    rules = {"doctype-style": "off", "void-style": "off"}
    settings = {"root": True, "extends": ["html-validate:recommended"], "rules": rules}
    (tmp_path / ".htmlvalidate.json").write_text(json.dumps(settings))
    command = [shutil.which("node"), VALIDATOR.resolve(), "--max-warnings", "0", "console.html"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
