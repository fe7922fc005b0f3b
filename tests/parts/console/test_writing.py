"""Writing in the console without HTML: the toolbar, pasted texts, first contents, and copies."""

import json
from pathlib import Path

import pytest
from browsers import Console, has_tools, make_key
from test_console_pages import make, shown_in_preview, stored

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
STARTERS = ("Giveaway", "Newsletter", "Event", "Product launch", "Coming soon")
BLOCKS = ["Heading", "Paragraph", "List", "Two columns", "Three columns", "Quote", "Separator"]
HERE = Path(__file__).parent


def select(console: Console, start: int, end: int) -> None:
    field = console.field("Content")
    script = "arguments[0].focus(); arguments[0].setSelectionRange(arguments[1], arguments[2])"
    console.driver.execute_script(script, field, start, end)


def selected(console: Console) -> str:
    script = "const { value, selectionStart: start, selectionEnd: end } = document.activeElement;"
    return str(console.driver.execute_script(f"{script} return value.slice(start, end)"))


def test_blocks_are_inserted_and_words_are_made_bold_by_keyboard_alone(console: Console) -> None:
    console.open("#/pages/new")
    console.type("Title", "By keyboard")
    console.find("//label[.='Content']/following-sibling::*[1][@role='toolbar']")
    while console.focused != "Heading":
        console.press(Keys.TAB)
    console.press(Keys.ENTER)
    assert selected(console) == "Heading"
    console.press("W", "i", "n")
    heading = '<!-- wp:heading -->\n<h2 class="wp-block-heading">Win</h2>\n<!-- /wp:heading -->'
    assert console.value("Content") == heading
    console.press(Keys.SHIFT, Keys.TAB)
    console.press(Keys.ARROW_RIGHT)
    console.focuses("Paragraph")
    console.press(Keys.ENTER)
    console.driver.switch_to.active_element.send_keys("A boat for you")
    paragraph = "\n\n<!-- wp:paragraph -->\n<p>{}</p>\n<!-- /wp:paragraph -->"
    assert console.value("Content") == heading + paragraph.format("A boat for you")
    at = console.value("Content").index("boat")
    select(console, at, at + 4)
    console.press(Keys.CONTROL, "b")
    console.press(Keys.CONTROL, "i")
    words = "A <strong><em>boat</em></strong> for you"
    assert console.value("Content") == heading + paragraph.format(words)
    at = console.value("Content").index("for you")
    select(console, at, at + 3)
    console.press(Keys.CONTROL, "k")
    console.type("Address", "javascript:alert(1)")
    console.press(Keys.ENTER)
    console.sees("An address begins with https://, mailto:, tel:, / or #.")
    console.type("Address", 'https://example.com/?a="b"&c')
    console.press(Keys.ENTER)
    link = '<a href="https://example.com/?a=&quot;b&quot;&amp;c">for</a>'
    linked = heading + paragraph.format(words.replace("for", link))
    console.until(lambda: console.value("Content") == linked)
    assert selected(console) == "for"
    shown_in_preview(console, "A boat for you")
    select(console, 0, len(linked))
    console.press(Keys.CONTROL, "b")
    console.sees("Bold: select words within one paragraph first.")
    assert console.value("Content") == linked
    console.press(Keys.CONTROL, "z")
    assert console.value("Content") == heading + paragraph.format(words)
    console.press(Keys.CONTROL, "z")
    console.press(Keys.CONTROL, "z")
    assert console.value("Content") == heading + paragraph.format("A boat for you")


def test_a_picture_and_a_button_are_asked_for_and_everything_is_shown(console: Console) -> None:
    console.open("#/pages/new")
    console.type("Title", "Everything")
    for name in BLOCKS:
        console.click(name)
    console.click("Picture")
    console.click("Insert", sees="Please fill this in.")
    console.type("Address", "https://example.com/boat.jpg")
    console.type("What it shows, for those who do not see it", 'A "red" boat')
    console.click("Insert")
    console.until(lambda: 'alt="A &quot;red&quot; boat"' in console.value("Content"))
    console.click("Button")
    console.type("Text", "Enter & win")
    console.type("Address", "/enter/")
    console.click("Insert")
    shown_in_preview(console, "Enter & win")
    console.click("Create page", sees="The page was created.")
    page = stored(console.server, int(console.driver.current_url.rpartition("/")[2]))
    for name in ("heading", "list", "columns", "quote", "separator", "image", "button__link"):
        assert f"wp-block-{name}" in page["content"]["rendered"]
    assert page["content"]["raw"].count("<!-- wp:column -->") == 5


def test_nothing_that_was_there_is_touched_and_one_undo_takes_all_back(console: Console) -> None:
    console.open("#/pages/new")
    console.type("Title", "Property")
    script, names = (HERE / "toolbar.js").read_text(), [*BLOCKS, "Bold", "Italic"]
    wrong, changed = console.driver.execute_async_script(script, names)
    assert not wrong, wrong[0]
    assert changed > 100
    content = "<!-- wp:html -->\r\n<p>a</p>\r\n<!-- /wp:html -->\r\n\n\rtext"
    page_id = make(console.server, title="Line ends", content=content)
    console.open(f"#/pages/{page_id}")
    console.field("Content")
    select(console, 25, 25)
    console.click("Separator")
    console.click("Save", sees="The page was saved.")
    raw = stored(console.server, page_id)["content"]["raw"]
    assert "wp:separator" in raw
    places = range(len(content) + 1)
    assert any(raw.startswith(content[:at]) and raw.endswith(content[at:]) for at in places)


def block(kind: str, inner: str) -> str:
    return f"<!-- wp:{kind} -->\n{inner}\n<!-- /wp:{kind} -->"


def test_pasted_html_becomes_clean_blocks_and_plain_text_stays_plain(console: Console) -> None:
    console.open("#/pages/new")
    field, script = console.field("Content"), (HERE / "paste.js").read_text()

    def paste(html: str, text: str = "") -> bool:
        return bool(console.driver.execute_script(script, field, html, text))

    for name in ("word", "docs", "hostile", "odd"):
        field.clear()
        assert paste((HERE / f"pasted/{name}.html").read_text())
        assert console.value("Content") == (HERE / f"pasted/{name}.blocks.html").read_text().strip()
    # All of it is replaced, as in any field; a few words stay in their paragraph.
    select(console, 0, len(console.value("Content")))
    assert paste("<p>One</p><p>Two</p>")
    at = console.value("Content").index("ne</p>")
    select(console, at, at)
    assert paste("<span class=x>b<i>i</i> &lt;</span>")
    one, two = (block("paragraph", f"<p>{text}</p>") for text in ("Ob<em>i</em> &lt;ne", "Two"))
    assert console.value("Content") == f"{one}\n\n{two}"
    assert paste("<h2>New</h2><p>After</p>")
    new = block("heading", '<h2 class="wp-block-heading">New</h2>')
    after = block("paragraph", "<p>After</p>")
    assert console.value("Content") == "\n\n".join((one, new, after, two))
    # What is text, what is markup already, and what is pasted with Shift.
    assert not paste("", "plain & simple")
    assert not paste("<div>&lt;p&gt;</div>", "<p>")
    # What is in the clipboard replaces itself, whatever other tests have left there.
    select(console, 0, 4)
    console.press(Keys.CONTROL, "c")
    field.send_keys(Keys.CONTROL, Keys.SHIFT, "v")
    assert not paste("<p>x</p>", "x")
    assert console.value("Content") == "\n\n".join((one, new, after, two))
    # A capital letter, and then the menu of the browser.
    field.send_keys(Keys.SHIFT, "A")
    assert paste("<p>x</p>", "x")


def test_a_new_page_begins_from_a_finished_one_and_loses_nothing_typed(console: Console) -> None:
    key = make_key(console.server, "pages:read", "pages:write")
    console.open("#/pages/new")
    for name in STARTERS:
        console.click(name)
        title, content = console.value("Title"), console.value("Content")
        assert len(title) > 10
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        body = json.dumps({"title": title, "content": content, "status": "draft"}).encode()
        status, got, _ = console.server.send("POST", "/pages", headers, body)
        assert (status, dict(got).get("X-Landform-Warning")) == (201, None)
    console.type("Title", "My own title")
    console.click("Giveaway")
    assert console.value("Title") == "My own title"
    shown_in_preview(console, "How it works")
    console.click("Create page", sees="The page was created.")
    console.open("#/pages/new")
    console.type("Content", "Mine.")
    assert "Begin with" not in console.text


def test_a_page_is_copied_from_each_place(console: Console) -> None:
    page_id = make(console.server, title="Original", content="Text.", password="hidden")

    def copies() -> list[tuple[str, str]]:
        listed = console.server.call("GET", "/pages?search=original&status=any&context=edit")[1]
        return [(page["status"], page["password"]) for page in listed if page["id"] != page_id]

    console.open(f"#/pages/{page_id}")
    console.click("Duplicate")
    console.sees("Original (copy)", "This is a copy.")
    assert console.value("Title") == "Original (copy)"
    console.open("#/pages/new")
    console.find("//select/option[normalize-space()='Original']").click()
    console.click("Copy it", sees="This is a copy.")
    console.open("#/pages?search=original")
    console.field("Select Original").click()
    console.click("Duplicate", sees="1 page was copied as a draft.")
    assert copies() == [("draft", "")] * 3


# Among the tests that have the checker installed.
@pytest.mark.clients
@has_tools
def test_the_toolbar_its_questions_and_first_pages_are_accessible(console: Console) -> None:
    for width, dark in ((1280, False), (360, True)):
        console.width(width, dark=dark)
        console.open("#/pages/new")
        console.click("Giveaway")
        shown_in_preview(console, "How it works")
        assert (width, console.overflows(), console.axe()) == (width, False, [])
        console.click("Picture")
        console.field("Address")
        assert (width, console.overflows(), console.axe()) == (width, False, [])
        console.press(Keys.ESCAPE)
