"""Writing in the console without HTML: the blocks of a page, pasted texts, and copies."""

import json
from pathlib import Path
from typing import Any

import pytest
from browsers import Console, has_tools, make_key
from conftest import ROOT, needs_part
from test_console_pages import as_code, make, shown_in_preview, stored

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
STARTERS = ("Giveaway", "Newsletter", "Event", "Product launch", "Coming soon")
HERE = Path(__file__).parent
FIELD = {"id": 1, "type": "text", "label": "Name"}
SECTION = "{}//*[@role='textbox' and @aria-label='{}']"
ALT = "What it shows, for those who do not see it"


def text_field(console: Console, label: str, number: int = 0, within: str = "") -> Any:
    return console.find(SECTION.format(within, label), number)


def write(console: Console, label: str, text: str, number: int = 0) -> None:
    """Click a text of a block, and write another one."""
    field = text_field(console, label, number)
    console.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
    field.click()
    console.press(Keys.CONTROL, "a")
    field.send_keys(text)


def add(console: Console, name: str, button: str = "Add a block") -> None:
    """Add a block, or a group of them."""
    console.click(button)
    console.find(f"//dialog//button[.='{name}']").click()


def select(console: Console, name: str) -> None:
    """Select a block by its handle."""
    handle = console.find(f"//*[starts-with(@aria-label, '{name}: drag')]")
    console.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", handle)
    handle.click()
    console.button(f"Down: {name}")


def selected(console: Console) -> str:
    script = "const { value, selectionStart: start, selectionEnd: end } = document.activeElement;"
    return str(console.driver.execute_script(f"{script} return value.slice(start, end)"))


def source(console: Console) -> str:
    """Return the content, and go on with its blocks."""
    as_code(console)
    value = console.value("Content")
    console.click("Edit as blocks", sees="Add a block")
    return value


def block(kind: str, inner: str, attributes: str = "") -> str:
    return f"<!-- wp:{kind} {attributes}-->\n{inner}\n<!-- /wp:{kind} -->"


def paragraph(text: str) -> str:
    return block("paragraph", f"<p>{text}</p>")


def heading(text: str) -> str:
    return block("heading", f'<h2 class="wp-block-heading">{text}</h2>')


def test_a_page_is_written_by_keyboard_alone_and_each_step_is_undone(console: Console) -> None:
    console.open("#/pages/new", "Add a block")
    while console.focused != "Add a block":
        console.press(Keys.TAB)
    console.press(Keys.ENTER)
    while console.focused != "Heading":
        console.press(Keys.TAB)
    console.press(Keys.ENTER)
    console.focuses("Heading")
    active = console.driver.switch_to.active_element
    active.send_keys("Win")
    console.press(Keys.ENTER)
    console.focuses("Paragraph")
    console.driver.switch_to.active_element.send_keys("A boat ")
    console.press(Keys.CONTROL, "b")
    console.driver.switch_to.active_element.send_keys("for you")
    console.press(Keys.CONTROL, "b")
    for _ in range(3):
        console.press(Keys.SHIFT, Keys.ARROW_LEFT)
    console.press(Keys.CONTROL, "k")
    console.type("Address", "javascript:alert(1)")
    console.sees("An address begins with https://, mailto:, tel:, / or #.")
    console.type("Address", 'https://example.com/?a="b"&c')
    console.press(Keys.TAB)
    console.focuses("Set the link")
    console.press(Keys.ENTER)
    console.focuses("Paragraph")
    link = '<a href="https://example.com/?a=&quot;b&quot;&amp;c"><strong>you</strong></a>'
    linked = paragraph(f"A boat <strong>for </strong>{link}")
    shown_in_preview(console, "A boat for you")
    console.press(Keys.ALT, Keys.ARROW_UP)
    console.sees("Paragraph moved up.")
    assert source(console) == f"{linked}\n\n{heading('Win')}"
    # Of what was typed without a pause all goes at once.
    console.click("Undo")
    assert source(console) == f"{heading('Win')}\n\n{linked}"
    text_field(console, "Paragraph").click()
    seen = {source(console)}
    for _ in range(9):
        text = console.driver.find_elements("xpath", SECTION.format("", "Paragraph"))
        (text[0] if text else console.button("Undo")).send_keys(Keys.CONTROL, "z")
        seen.add(source(console))
        if "" in seen:
            break
    assert {"", heading(""), heading("Win")} <= seen
    console.click("Redo")
    assert source(console) == heading("")


def test_the_last_twenty_steps_are_undone(console: Console) -> None:
    console.open("#/pages/new", "Add a block")
    for _ in range(22):
        add(console, "Separator")
        console.until(lambda: console.focused.startswith("Separator"))
    for _ in range(25):
        console.press(Keys.CONTROL, "z")
    assert source(console).count("<!-- wp:separator") == 2


@needs_part("leads")
@pytest.mark.parametrize("width", [1280, 360])
def test_a_giveaway_is_made_with_few_clicks_and_no_tag(console: Console, width: int) -> None:
    form = console.server.call("POST", "/forms", {"title": f"Draw {width}", "fields": [FIELD]})[1][
        "id"
    ]
    console.open("#/pages", "New page")
    console.width(width)
    clicks = 0

    def click(name: str) -> None:
        nonlocal clicks
        clicks += 1
        console.click(name)

    def change(label: str, text: str, number: int = 0) -> None:
        nonlocal clicks
        clicks += 1
        write(console, label, text, number)

    click("New page")
    clicks += 1
    console.type("Title", f"Win a boat {width}")
    click("Add a block")
    clicks += 1
    console.find("//dialog//button[.='Giveaway']").click()
    console.focuses("Address of the picture")
    console.driver.switch_to.active_element.send_keys("/console/console.svg")
    console.press(Keys.TAB)
    console.driver.switch_to.active_element.send_keys("A boat")
    for number, text in enumerate(
        ("Win a boat", "In three steps", "1. Write", "2. Wait", "3. Sail")
    ):
        change("Heading", text, number)
    for number, text in enumerate(("This summer.", "Your name.", "Two weeks.", "With us.")):
        change("Paragraph", text, number)
    change("Button", "Join in")
    change("Heading", "Join in", 5)
    # A choice is two clicks: one opens it.
    for name, value in (("form_id", form), ("status", "publish")):
        clicks += 2
        console.find(f"//select[@name='{name}']/option[@value='{value}']").click()
    click("Create page")
    console.sees("The page was created.")
    assert clicks <= 25
    assert not console.overflows()
    page = stored(console.server, int(console.driver.current_url.rpartition("/")[2]))
    for text in ("Win a boat", "In three steps", "3. Sail", "With us.", "Join in", 'alt="A boat"'):
        assert text in page["content"]["rendered"]
    public = console.server.send("GET", f"/win-a-boat-{width}/", {"Accept": "text/html"}, None)[2]
    assert b'id="form"' in public
    assert f'id="form_{form}"'.encode() in public
    assert b'href="#form"' in public
    # The script of the form does not run in the preview.
    assert all("Blocked script" in error for error in console.errors())


OLD = 'class="wp-image-7 x" src="/old.png" width=3 alt=""'
MOVED_IN = (
    block("acme/widget", "<p>Kept  as it is</p>", '{"id": 5} ') + "\r\n\r\n"
    + block("heading", "<h3 id=here>Old</h3>", '{"level":3} ') + "\n\n\n"
    + block("list", "<ul><li>One</li><li>Two <b>three</b></li></ul>")
    + block("image", f"<figure><img {OLD}/></figure>", '{"id":7} ')
    + "\n" + block("button", '<div><a class="wp-block-button__link" href="/old/">Go</a></div>')
)  # fmt: skip


def test_a_page_from_wordpress_is_changed_where_it_is_edited_and_nowhere_else(
    console: Console,
) -> None:
    page_id = make(console.server, title="Moved in", content=MOVED_IN, status="publish")
    console.open(f"#/pages/{page_id}", "acme/widget:", "Add a block")
    assert "Unsaved" not in console.text
    write(console, "Heading", "New")
    text_field(console, "Item", 1).click()
    console.press(Keys.END)
    console.press(Keys.ENTER)
    console.driver.switch_to.active_element.send_keys("Four")
    text_field(console, "Button").click()
    link = f"/{stored(console.server, page_id)['slug']}/"
    console.find(f"//select[@name='target']/option[@value='{link}']").click()
    select(console, "Picture")
    console.type("Address of the picture", "/new.png")
    console.type(ALT, "A new one")
    # What was typed is there after a reload.
    console.until(
        lambda: (
            "A new one"
            in console.driver.execute_script(
                "return localStorage[Object.keys(localStorage)[0]] || ''"
            )
        )
    )
    console.driver.refresh()
    console.sees("and did not save is here again")
    select(console, "Heading")
    console.click("Down: Heading")
    console.press(Keys.CONTROL, "s")
    console.sees("The page was saved.")
    expected = (
        MOVED_IN.replace("Old", "New").replace("three</b>", "three</b></li>\n<li>Four")
        .replace('"/old/"', f'"{link}"').replace(' {"id":7}', "")
        .replace(OLD, 'class="x" src="/new.png" alt="A new one"')
    )  # fmt: skip
    start, gap, end = expected.index("<!-- wp:heading"), "\n\n\n", expected.index("<!-- wp:image")
    one, two = expected[start:end].split(gap)
    assert stored(console.server, page_id)["content"]["raw"] == expected.replace(
        one + gap + two, two + gap + one
    )


def test_what_is_no_tree_of_blocks_opens_as_code_and_says_where(console: Console) -> None:
    broken = f"{paragraph('One')}\n\n<!-- wp:group -->\n<div>"
    page_id = make(console.server, title="Broken", content=broken)
    console.open(f"#/pages/{page_id}", "Line 5: wp:group is not closed.")
    console.click("Edit as blocks")
    console.click("Show it")
    console.until(lambda: selected(console) == "<!-- wp:group -->")
    console.type("Content", f"{paragraph('One')}\n{block('core/embed', 'x')}")
    console.misses("is not closed")
    console.click("Edit as blocks", sees="core/embed:")
    console.click("edit as code")
    console.until(lambda: selected(console) == block("core/embed", "x"))


def test_classic_text_is_one_block_until_it_is_split(console: Console) -> None:
    page_id = make(console.server, title="Classic", content="One\nline\n\nTwo")
    console.open(f"#/pages/{page_id}")
    assert console.value("HTML") == "One\nline\n\nTwo"
    console.click("Split into blocks")
    text_field(console, "Paragraph", 1)
    assert source(console) == f"{paragraph('One<br>' + chr(10) + 'line')}\n\n{paragraph('Two')}"
    console.click("Undo")
    assert console.value("HTML") == "One\nline\n\nTwo"
    console.type("HTML", "<div>One\n\nTwo</div>")
    console.sees("This cannot be split")


def test_blocks_are_dragged_copied_removed_and_set(console: Console) -> None:
    page_id = make(
        console.server, title="Many", content="\n\n".join(paragraph(one) for one in "abc")
    )
    console.open(f"#/pages/{page_id}", "Add a block")
    drag = """
        const [from, to] = arguments, { bottom, left } = to.getBoundingClientRect();
        const given = { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true };
        const send = (one, type, clientY) =>
            one.dispatchEvent(new DragEvent(type, { ...given, clientX: left, clientY }));
        send(from, "dragstart", 0); send(to, "dragover", bottom - 1); send(to, "drop", bottom - 1);
    """
    handles = console.driver.find_elements("css selector", ".handle")
    console.driver.execute_script(
        drag, handles[0], console.driver.find_elements("css selector", ".block")[2]
    )
    console.sees("Paragraph moved.")
    assert source(console) == "\n\n".join(paragraph(one) for one in "bca")
    text_field(console, "Paragraph").click()
    console.click("Duplicate")
    console.until(lambda: len(console.driver.find_elements("css selector", ".block")) == 4)
    console.click("Remove", sees="Paragraph removed.")
    add(console, "Columns", "Add below")
    select(console, "Columns")
    console.find("//select[@name='columns']/option[.='4']").click()
    console.until(lambda: source(console).count("<!-- wp:column ") == 4)
    select(console, "Columns")
    console.find("//select[@name='columns']/option[.='2']").click()
    add(console, "Group", "Add below")
    select(console, "Group")
    console.find("//select[@name='color']/option[.='Black']").click()
    text_field(console, "Paragraph", 4).click()
    add(console, "Heading", "Add below")
    console.find("//select[@name='level']/option[.='4']").click()
    made = source(console)
    assert made.count("<!-- wp:column ") == 2
    assert '<!-- wp:group {"backgroundColor":"black"} -->' in made
    assert 'class="wp-block-group has-black-background-color has-background"' in made
    assert block("heading", '<h4 class="wp-block-heading"></h4>', '{"level":4} ') in made


def test_a_click_in_the_preview_leads_to_the_text_and_patterns_speak_the_language(
    console: Console,
) -> None:
    parts = (paragraph("Same"), heading("Top"), paragraph("Same"), block("acme/x", "<p>Other</p>"))
    content = "\n\n".join(parts)
    page_id = make(console.server, title="Led", content=content, meta={"language": ["de-CH"]})
    console.open(f"#/pages/{page_id}", "Add a block")
    console.click("Phone")
    shown_in_preview(console, "Top")
    for text, number, name in (
        ("Same", 1, "Paragraph"),
        ("Top", 0, "Heading"),
        ("Other", 0, "acme/x: drag, or press Alt and an arrow key"),
    ):
        console.driver.switch_to.frame(console.find("//iframe[@title='Preview of the page']"))
        console.driver.find_elements("xpath", f"//main//*[.='{text}']")[number].click()
        console.driver.switch_to.default_content()
        console.focuses(name)
    console.driver.switch_to.active_element.send_keys("")
    add(console, "Questions and answers")
    console.sees("Wer kann mitmachen?")


def test_pasted_html_becomes_clean_blocks_and_plain_text_stays_plain(console: Console) -> None:
    script = (HERE / "paste.js").read_text()

    def paste(html: str, text: str = "") -> bool:
        active = console.driver.switch_to.active_element
        return bool(console.driver.execute_script(script, active, html, text))

    def begin() -> None:
        console.open("#/pages/new", "Add a block")
        if "Discard changes" in console.text:
            console.click("Discard changes")
        add(console, "Paragraph")
        console.focuses("Paragraph")

    for name in ("word", "docs", "hostile", "odd"):
        begin()
        assert paste((HERE / f"pasted/{name}.html").read_text())
        assert source(console) == (HERE / f"pasted/{name}.blocks.html").read_text().strip()
    begin()
    console.driver.switch_to.active_element.send_keys("One")
    console.press(Keys.ARROW_LEFT)
    assert paste("<span class=x>b<i>i</i> &lt;</span>")
    assert paste("", "plain & <b>")
    assert source(console) == paragraph("Onb<em>i</em> &lt;plain &amp; &lt;b&gt;e")
    text_field(console, "Paragraph").click()
    assert paste("", heading("As it is"))
    assert source(console).endswith(heading("As it is"))


def test_inline_markup_that_is_not_known_stays_and_nothing_in_it_runs(console: Console) -> None:
    odd = '<span class="x" style="color:red">a</span> <img src="/x.png"> <i title="t">b</i>'
    hostile = "<img src=x onerror=\"top.document.title='handler'\">c"
    page_id = make(console.server, title="Odd", content=f"{paragraph(odd)}\n\n{paragraph(hostile)}")
    console.open(f"#/pages/{page_id}", "Add a block")
    text_field(console, "Paragraph").click()
    console.press(Keys.END)
    console.driver.switch_to.active_element.send_keys("!")
    assert console.value("Paragraph, as HTML") == hostile
    assert source(console) == f"{paragraph(odd.replace('b</i>', 'b!</i>'))}\n\n{paragraph(hostile)}"
    assert console.driver.title.startswith("Odd")
    # The frame of the preview refuses it.
    assert all("Blocked script" in one or "x:0" in one for one in console.errors())


def test_a_new_page_begins_from_a_finished_one_and_loses_nothing_typed(console: Console) -> None:
    key = make_key(console.server, "pages:read", "pages:write")
    console.open("#/pages/new")
    for name in STARTERS:
        console.click(name)
        title, content = console.value("Title"), source(console)
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
    add(console, "Paragraph")
    write(console, "Paragraph", "Mine.")
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
def test_the_editor_is_accessible_in_each_state(console: Console) -> None:
    content = (ROOT / "tests/site/blocks.html").read_text() + block("acme/x", "")
    page_id = make(console.server, title="Accessible", content=content)
    for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
        console.width(width, dark=dark)

        def check(state: str, now: tuple[int, bool] = (width, dark)) -> None:
            assert (now, state, console.overflows(), console.axe()) == (now, state, False, [])

        console.open(f"#/pages/{page_id}", "Add a block")
        console.sees("acme/x:")
        check("all")
        for name in ("Cover", "Columns", "Picture", "Button", "Group", "Heading", "acme/x"):
            select(console, name)
            check(name)
        console.click("Add a block", sees="Finished groups of blocks")
        check("adding")
        console.press(Keys.ESCAPE)
        as_code(console)
        check("code")
        console.type("Content", "<!-- wp:group -->")
        console.sees("is not closed")
        check("broken")
        console.click("Discard changes")
        console.misses("Unsaved changes")
