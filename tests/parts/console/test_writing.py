"""Writing in the console without HTML: the toolbar, pasted texts, first contents, and copies."""

import json

import pytest
from browsers import Console, has_tools, make_key
from test_console_pages import make, shown_in_preview, stored

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
STARTERS = ("Giveaway", "Newsletter", "Event", "Product launch", "Coming soon")
BLOCKS = (
    "Heading", "Paragraph", "List", "Two columns", "Three columns", "Quote", "Separator"
)  # fmt: skip


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
    assert console.focused == "Paragraph"
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
    console.click("Insert")
    console.sees("Please fill this in.")
    console.type("Address", "https://example.com/boat.jpg")
    console.type("What it shows, for those who do not see it", 'A "red" boat')
    console.click("Insert")
    console.until(lambda: 'alt="A &quot;red&quot; boat"' in console.value("Content"))
    console.click("Button")
    console.type("Text", "Enter & win")
    console.type("Address", "/enter/")
    console.click("Insert")
    shown_in_preview(console, "Enter & win")
    console.click("Create page")
    console.sees("The page was created.")
    page = stored(console.server, int(console.driver.current_url.rpartition("/")[2]))
    for name in ("heading", "list", "columns", "quote", "separator", "image", "button__link"):
        assert f"wp-block-{name}" in page["content"]["rendered"]
    assert page["content"]["raw"].count("<!-- wp:column -->") == 5


# Random contents of blocks, HTML and text, random cursors and selections. Returns what is wrong.
PROPERTY = """
const [names, done] = arguments;
let seed = 7;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const any = (list) => list[random(list.length)];
const block = (name, inner) => `<!-- wp:${name} -->\\n${inner}\\n<!-- /wp:${name} -->`;
const leaf = () => any([
  block("paragraph", "<p>A <b>word</b> &amp; more</p>"), block("heading", "<h2>Ä title</h2>"),
  block("list", `<ul>${block("list-item", "<li>one</li>")}</ul>`), "<!-- wp:separator /-->",
  '<!-- wp:image {"id":3,"a":"-->"} -->\\n<img src="a.jpg" alt="x > y"/>\\n<!-- /wp:image -->',
]);
const column = (inner) => block("column", `<div>${inner}</div>`);
const holder = () => any([
  block("group", `<div>${leaf()}\\n${leaf()}</div>`),
  block("columns", `<div>${column(leaf())}${column("")}</div>`),
]);
const text = () => any([
  "Plain words.", "Two\\nlines, no tag", "", "  ", "<p>HTML</p>", "<!-- wp:unclosed -->", "𝄞 <b>",
  '<a\\nhref="x"\\ntitle="y">link</a>', "<p>one <b>two</b> and <i>three</i></p>",
]);
const part = () => any([leaf, holder, text])();
const content = () => Array.from({ length: random(5) }, part).join(any(["\\n\\n", "\\n", ""]));
const area = document.querySelector("textarea[name=content]");
const all = [...document.querySelectorAll("[role=toolbar] button")];
const buttons = all.filter((one) => names.includes(one.textContent));
const misplaced = ["ul", "div"].flatMap((one) => [`${one} > strong`, `${one} > em`]).join();
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
/** Return whether each tag is closed, the last one first. */
const nests = (html) => {
  const open = [];
  const tags = html.replace(/<!--[^]*?-->/g, "").matchAll(/<(\\/?)(\\w+)[^>]*>/g);
  for (const [, slash, name] of tags) {
    if (["img", "hr"].includes(name)) continue;
    if (!slash) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return !open.length;
};
const wrong = [];
let changed = 0;
const pause = () => new Promise((next) => setTimeout(next, 5));
(async () => {
  for (let round = 0; round < 300; round += 1) {
    const old = content();
    area.value = old;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    const cursor = random(old.length + 1);
    const end = random(2) ? cursor : Math.min(old.length, cursor + random(60));
    area.setSelectionRange(cursor, end);
    const button = any(random(2) ? buttons : buttons.slice(-2));
    await pause();
    button.click();
    await pause();
    const now = area.value;
    // Bold and Italic refuse what is not in one paragraph.
    if (now === old && document.querySelector(".content [role=status]").textContent) continue;
    changed += 1;
    let at = 0;
    while (at < old.length && old[at] === now[at]) at += 1;
    // The inserted text may begin as what follows does.
    const [before, inner, after] = [old.slice(0, cursor), old.slice(cursor, end), old.slice(end)];
    const wrapped = (tag) => `${before}<${tag}>${inner}</${tag}>${after}`;
    const isWrapped = inner && [wrapped("strong"), wrapped("em")].includes(now);
    const isWhole = isWrapped || (now.length > old.length && now.endsWith(old.slice(at)));
    const added = now.slice(at, now.length - (old.length - at));
    const markup = now.replace(/<!--[^]*?-->/g, "");
    const isTorn = /<[^<>]*</.test(markup.replace(/alt="x > y"/g, "").replace("𝄞 <b>", ""));
    // A browser shows what follows the end of a comment in attributes.
    const isClear = /<!-- wp:/.test(old) && !/"-->"/.test(old);
    const isMisplaced = isClear && parsed(now).querySelector(misplaced);
    const isBroken = (nests(old) && !nests(now)) || Boolean(isMisplaced);
    document.execCommand("undo");
    const isBack = area.value === old;
    const state = [isWhole, isTorn, isBroken, isBack];
    if (String(state) !== "true,false,false,true") wrong.push([...state, cursor, end, old, now]);
    await pause();
  }
  done([wrong, changed]);
})();
"""


def test_nothing_that_was_there_is_touched_and_one_undo_takes_all_back(console: Console) -> None:
    console.open("#/pages/new")
    console.type("Title", "Property")
    names = [*BLOCKS, "Bold", "Italic"]
    wrong, changed = console.driver.execute_async_script(PROPERTY, names)
    assert not wrong, wrong[0]
    assert changed > 100
    content = "<!-- wp:html -->\r\n<p>a</p>\r\n<!-- /wp:html -->\r\n\n\rtext"
    page_id = make(console.server, title="Line ends", content=content)
    console.open(f"#/pages/{page_id}")
    console.field("Content")
    select(console, 25, 25)
    console.click("Separator")
    console.click("Save")
    console.sees("The page was saved.")
    raw = stored(console.server, page_id)["content"]["raw"]
    assert "wp:separator" in raw
    places = range(len(content) + 1)
    assert any(raw.startswith(content[:at]) and raw.endswith(content[at:]) for at in places)


PASTE = """
const [field, html, text] = arguments;
const data = new DataTransfer();
data.setData("text/plain", text);
if (html) data.setData("text/html", html);
field.focus();
const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
field.dispatchEvent(event);
return event.defaultPrevented;
"""
WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p {color:
red}</style></head>
<body><!--StartFragment--><h1 style='color:#2F5496'>Our <span>plan<o:p></o:p></span></h1>
<p class=MsoNormal>First <b style='mso-bidi-font-weight:normal'>bold</b>
words&nbsp; &amp; more.<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if
!supportLists]><span
style='font-family:Symbol'><span
style='mso-list:Ignore'>·<span>&nbsp;&nbsp;</span></span></span><![endif]>Apples<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span
style='mso-list:Ignore'>o </span>Green</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·
</span>Pears</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span
style='mso-list:Ignore'>1.</span>Bake</p>
<!--EndFragment--></body></html>"""
DOCS = """<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h3
dir="ltr"><span>Title</span></h3>
<p dir="ltr" style="line-height:1.38"><span style="font-weight:700">Bold</span><span> and </span>
<a href="https://example.com/"><span style="font-style:italic">link</span></a></p><br><br>
<ol><li dir="ltr"><p><span>One</span></p></li><ul><li><p>Inner</p></li></ul><li>Two</li></ol></b>"""
HOSTILE = """<p onclick="x()" class="a" style="color:red">Hi <script>alert(1)</script><a
href="java&#10;script:alert(1)">there</a>
<img src=x onerror=alert(1)><a href="HTTPS://example.com/?a&b" onclick="x()">out</a>
&lt;script&gt; &lt;!-- wp:html --&gt;</p>
<style>p{}</style><iframe src="https://example.com"></iframe><div hidden>no</div><div
style="display: none">no</div>
<svg><a xlink:href="javascript:alert(1)"><text>svg</text></a></svg><table>
<tr><td>Cell</td></tr></table>"""

ODD = """<blockquote><p>Outer</p><blockquote>Inner</blockquote><hr></blockquote>
<ul><script>alert(1)</script><li>One<hr></li><li style="display:none">no</li></ul>
<pre>a  b
c</pre><p><a href="https://example.com/online=1" title="a on x=" onclick='x("y")'>out</a></p>
<div class="ListContainerWrapper"><ul><li data-aria-level="1"><p>A</p></li></ul></div>
<div class="ListContainerWrapper"><ul><li data-aria-level="2"><p>B</p></li></ul></div>"""


def markup(kind: str, inner: str, attributes: str = "") -> str:
    return f"<!-- wp:{kind} {attributes}-->\n{inner}\n<!-- /wp:{kind} -->"


def items(*inner: str, kind: str = "ul") -> str:
    listed = "\n\n".join(markup("list-item", f"<li>{item}</li>") for item in inner)
    attributes = '{"ordered":true} ' if kind == "ol" else ""
    return markup("list", f'<{kind} class="wp-block-list">{listed}</{kind}>', attributes)


PASTED = {
    WORD: [
        markup("heading", '<h2 class="wp-block-heading">Our plan</h2>'),
        markup("paragraph", "<p>First <strong>bold</strong> words &amp; more.</p>"),
        items(f"Apples{items('Green')}", "Pears"),
        items("Bake", kind="ol"),
    ],
    DOCS: [
        markup("heading", '<h3 class="wp-block-heading">Title</h3>', '{"level":3} '),
        markup(
            "paragraph",
            '<p><strong>Bold</strong> and <a href="https://example.com/"><em>link</em></a></p>',
        ),
        items(f"One{items('Inner')}", "Two", kind="ol"),
    ],
    HOSTILE: [
        markup(
            "paragraph",
            '<p>Hi there <a href="HTTPS://example.com/?a&amp;b">out</a> &lt;script&gt; '
            "&lt;!-- wp:html --&gt;</p>",
        ),
        markup("paragraph", "<p>Cell</p>"),
    ],
    ODD: [
        markup("quote", '<blockquote class="wp-block-quote"><p>Outer</p><p>Inner</p></blockquote>'),
        items("One"),
        markup("paragraph", "<p>a b<br>c</p>"),
        markup("paragraph", '<p><a href="https://example.com/online=1">out</a></p>'),
        items(f"A{items('B')}"),
    ],
}


def test_pasted_html_becomes_clean_blocks_and_plain_text_stays_plain(console: Console) -> None:
    console.open("#/pages/new")
    field = console.field("Content")

    def paste(html: str, text: str = "") -> bool:
        return bool(console.driver.execute_script(PASTE, field, html, text))

    for html, blocks in PASTED.items():
        field.clear()
        assert paste(html)
        assert console.value("Content") == "\n\n".join(blocks)
    # All of it is replaced, as in any field; a few words stay in their paragraph.
    select(console, 0, len(console.value("Content")))
    assert paste("<p>One</p><p>Two</p>")
    at = console.value("Content").index("ne</p>")
    select(console, at, at)
    assert paste("<span class=x>b<i>i</i> &lt;</span>")
    one, two = (markup("paragraph", f"<p>{text}</p>") for text in ("Ob<em>i</em> &lt;ne", "Two"))
    assert console.value("Content") == f"{one}\n\n{two}"
    assert paste("<h2>New</h2><p>After</p>")
    new = markup("heading", '<h2 class="wp-block-heading">New</h2>')
    after = markup("paragraph", "<p>After</p>")
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
    console.click("Create page")
    console.sees("The page was created.")
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
    console.click("Copy it")
    console.sees("This is a copy.")
    console.open("#/pages?search=original")
    console.field("Select Original").click()
    console.click("Duplicate")
    console.sees("1 page was copied as a draft.")
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
