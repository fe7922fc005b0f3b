// What writes a page: what a new one begins with, and the text field of the content with a toolbar that inserts blocks
// at the cursor.
import { go, html, useLoad, useRef, useState } from "./lib.js";
import { additions, create, hasPart, list as listOf, may } from "./api.js";
import { buttons, columns, cover, escape, formMarker, group, hasBlocks, heading, insertion, isInline, join, list, paragraph, picture, placeFor, quote, separator, shown, withBreaks } from "./blocks.js";
import { titleOf } from "./pages.js";
import { fromClipboard } from "./paste.js";
import { Choice, Dialog, LongText, Problem, Text, say, useAction } from "./ui.js";

const top = (color, title, text, ...link) => cover(color, heading(title), paragraph(text), buttons(link));
const form = hasPart("leads") ? formMarker() : paragraph("Put your form or a link to it here.");
const about = (title, text) => join([heading(title, 3), paragraph(text)]);

/** The pages to begin with: name, title and content. */
const STARTERS = [
  ["Empty", "", ""],
  ["Giveaway", "Win a weekend in the mountains", join([
    top("#143642", "Two nights for two, on us", "Enter by the end of the month. It takes a minute, and costs nothing.", "Enter now", "#enter"),
    heading("How it works"),
    columns(about("1. Enter", "Fill in the form with your name and email address."), about("2. Share", "Tell a friend. Each friend who enters is another chance for you."),
      about("3. Win", "We draw the winner on the first day of the month, and write to you.")),
    heading("What you win"),
    list(["Two nights in a double room, with breakfast", "A guided walk on Saturday"]),
    group("enter", heading("Enter now"), form),
    paragraph("Entry is free and open to everyone aged 18 or over. The winner is drawn at random."),
  ])],
  ["Newsletter", "Good ideas, once a month", join([
    paragraph("One short letter on the first Tuesday of each month."),
    buttons(["Subscribe", "#subscribe"]),
    heading("In every letter"),
    columns(about("One idea", "Something that you can try on the same day."), about("One story", "How somebody solved a problem that you may have too.")),
    group("subscribe", heading("Subscribe"), form, paragraph("You can unsubscribe with one click, and we never pass on your address.")),
  ])],
  ["Event", "Open evening", join([
    top("#3b1f5b", "Join us for an evening of talks", "Thursday, 12 March, 6 pm to 9 pm. Town Hall, 1 Market Square.", "Reserve a seat", "#seat"),
    paragraph("Meet the people behind the project, and ask what you always wanted to know. Everyone is welcome."),
    heading("Programme"),
    list(["<strong>6 pm</strong> Doors open", "<strong>6.30 pm</strong> Welcome", "<strong>7 pm</strong> Three short talks", "<strong>8 pm</strong> Questions"]),
    columns(about("Getting there", "Five minutes on foot from the station."), about("Access", "The hall has no steps, and a hearing loop.")),
    group("seat", heading("Reserve a seat"), form, paragraph("Admission is free, but seats are limited.")),
  ])],
  ["Product launch", "Meet the new lamp", join([
    top("#7a2e12", "Light that follows your day", "Bright in the morning, warm in the evening, and off when you leave.", "Order yours", "#order"),
    columns(about("Made to last", "Every part can be replaced, with one screwdriver."), about("Easy on power", "It uses six watts at full brightness."), about("No app needed", "Set it once with the dial on the side.")),
    heading("Questions"),
    about("When is it delivered?", "Within three days."),
    group("order", heading("Order yours"), form),
  ])],
  ["Coming soon", "Something new is coming", join([
    top("#1c2541", "Almost there", "Leave your address, and you will be the first to know.", "Tell me", "#tell"),
    group("tell", heading("Tell me when it opens"), form, paragraph("We write once, and never pass on your address.")),
  ])],
];

/** Create a copy of a page as a draft, and open it. */
async function duplicatePage(id) {
  const { data } = await create(`/pages/${id}/duplicate`, {});
  go(`pages/${data.id}`);
  say("This is a copy. It is a draft, without the password of the page.");
}

export function Duplicate({ id, label = "Duplicate", ...attributes }) {
  const [run, isRunning, error] = useAction(() => duplicatePage(id));
  return html`<button type="button" ...${attributes} disabled=${isRunning || !id} onClick=${run}>${label}</button><${Problem} error=${error} />`;
}

function Copies() {
  const [id, setId] = useState("");
  const state = useLoad(() => listOf("/pages", { context: "edit", status: "any", orderby: "modified", per_page: 100, _fields: "id,title.raw" }));
  if (!state.data?.items.length) return null;
  const options = [["", "Choose a page"], ...state.data.items.map((page) => [page.id, titleOf(page)])];
  return html`<div class="inline"><${Choice} label="Or a copy of" name="copy_of" value=${id} options=${options} change=${setId} /><${Duplicate} id=${id} label="Copy it" /></div>`;
}

/** The choice of a beginning, as long as it would replace nothing that was typed. */
export function Starters({ values, change }) {
  const chosen = STARTERS.findIndex(([, , content]) => content === values.content);
  if (chosen < 0) return null;
  // A title that was typed stays.
  const isOwn = !STARTERS.some(([, title]) => title === values.title);
  return html`<section class="card starters"><h2>Begin with</h2>
    <div class="actions" role="group" aria-label="Begin with">${STARTERS.map(([name, title, content], place) => html`<button type="button" aria-pressed=${place === chosen}
      onClick=${() => change({ content, ...(isOwn ? {} : { title }) })}>${name}</button>`)}</div>
    <p class="hint">Each is a finished page: change the texts, and delete what you do not need.${hasPart("leads") && " Its form, which you choose below, is shown at [gravityform]."}</p>
    ${may("pages:read") && html`<${Copies} />`}
  </section>`;
}

const ADDRESS = ["address", "Address", { inputmode: "url", placeholder: "https://", required: true }];
const TEXT = ["text", "Text", { required: true }];
const ALT = ["alt", "What it shows, for those who do not see it", {}];

// The tools: name, fields to ask for, markup, and the word to be replaced.
/** @type {[string, any[], (values?: any) => string, string?][]} */
const BLOCKS = [
  ["Heading", [], () => heading("Heading"), "Heading"],
  ["Paragraph", [], () => paragraph("Text"), "Text"],
  ["List", [], () => list(["First", "Second"]), "First"],
  ["Button", [TEXT, ADDRESS], ({ text, address }) => buttons([text, address])],
  ["Picture", [ADDRESS, ALT], ({ address, alt = "", size }) => picture(address, alt, size)],
  ["Two columns", [], () => columns(paragraph("Left"), paragraph("Right")), "Left"],
  ["Three columns", [], () => columns(paragraph("Left"), paragraph("Middle"), paragraph("Right")), "Left"],
  ["Quote", [], () => quote("<p>Quote</p>"), "Quote"],
  ["Separator", [], separator],
];
if (hasPart("leads")) BLOCKS.push(["Form", [], formMarker]);
// The tools for the selection, with their keys.
const INLINE = [
  ["Bold", "b", (inner) => `<strong>${inner}</strong>`],
  ["Italic", "i", (inner) => `<em>${inner}</em>`],
  ["Link", "k", (inner, { address }) => `<a href="${escape(address)}">${inner}</a>`],
];
const ADDRESS_START = /^\s*(?:https?:\/\/|mailto:|tel:|[/#?])/i;

/** Get the size of a picture as attributes; none of one that does not load in time. */
const sizeOf = (address) => new Promise((done) => {
  const image = new Image();
  setTimeout(done, 3000, "");
  image.onerror = () => done("");
  image.onload = () => done(` width="${image.naturalWidth}" height="${image.naturalHeight}"`);
  image.src = address;
});

/** Replace what is between two places of a text field, as one step of its undo. */
function replace(area, start, end, text) {
  area.focus();
  area.setSelectionRange(start, end);
  // It is deprecated, but nothing else keeps the undo of the browser.
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Return whether a cursor is between blocks, where another one may be. */
const isBetween = (text, cursor) => (hasBlocks(text) || !text.trim()) && placeFor(text, cursor) === cursor;

/** Insert blocks at the cursor, and select a word of theirs to be replaced. */
function insertBlocks(area, markup, word) {
  const { at, text } = insertion(area.value, area.selectionEnd, markup);
  replace(area, at, at, text);
  // Browsers bring the cursor into view when the field gets the focus.
  area.blur();
  area.focus();
  if (word) {
    const place = at + text.indexOf(`>${word}<`) + 1;
    area.setSelectionRange(place, place + word.length);
  }
}

/** Ask for the values of some fields. */
function Ask({ title, fields, done, close }) {
  const [values, setValues] = useState({});
  const [error, setError] = useState(null);
  const submit = () => {
    const missing = fields.find(([name, , { required }]) => required && !values[name]?.trim());
    if (missing) setError({ params: { [missing[0]]: "Please fill this in." } });
    else if (!ADDRESS_START.test(values.address)) setError({ params: { address: "An address begins with https://, mailto:, tel:, / or #." } });
    else done(Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])));
  };
  const choose = async () => {
    const chosen = await additions.choosePicture();
    if (!chosen) return;
    const url = new URL(chosen.source_url);
    setValues({ address: url.origin === location.origin ? url.pathname : url.href, alt: chosen.alt_text });
  };
  const enter = (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    submit();
  };
  return html`<${Dialog} title=${title} close=${close}><div onKeyDown=${enter}>
    ${fields.map(([name, label, attributes], place) => html`<${Text} ...${{ name, label, error, ...attributes }} autofocus=${place === 0}
      value=${values[name]} change=${(text) => setValues((before) => ({ ...before, [name]: text }))} />`)}
    ${title === "Picture" && additions.choosePicture && html`<p><button type="button" onClick=${choose}>Choose from the library</button></p>`}
    <div class="actions"><button type="button" class="main" onClick=${submit}>Insert</button><button type="button" onClick=${close}>Cancel</button></div>
  </div><//>`;
}

/** Buttons in one stop of the Tab key, with the arrow keys between them. */
function Toolbar({ tools, use }) {
  const [current, setCurrent] = useState(0);
  const move = (event) => {
    const steps = { ArrowRight: current + 1, ArrowLeft: current - 1 + tools.length, Home: 0, End: tools.length - 1 };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const next = steps[event.key] % tools.length;
    setCurrent(next);
    event.currentTarget.querySelectorAll("button")[next].focus();
  };
  return html`<div class="toolbar" role="toolbar" aria-label="Insert into the content" onKeyDown=${move}>
    ${tools.map(([name, key], place) => html`<button type="button" tabindex=${place === current ? 0 : -1} onFocus=${() => setCurrent(place)}
      onClick=${() => use(name)} ...${typeof key === "string" ? { title: `Ctrl+${key.toUpperCase()}`, "aria-keyshortcuts": `Control+${key}` } : {}}>${name}</button>`)}
  </div>`;
}

export function Content({ value, change, ...attributes }) {
  const root = useRef();
  const [asked, setAsked] = useState(null);
  const [message, setMessage] = useState("");
  const isPlainPaste = useRef(false);
  const field = () => root.current.querySelector("textarea");

  /** Put a tag around the selection, or around a word. */
  const wrap = (tag, values) => {
    const area = field();
    const { selectionStart: start, selectionEnd: end, value: text } = area;
    const word = values.text ? escape(values.text) : "text";
    if (start === end && isBetween(text, start)) return insertBlocks(area, paragraph(tag(word, values)), word);
    const inner = text.slice(start, end) || word;
    replace(area, start, end, tag(inner, values));
    const place = start + tag("\n", values).indexOf("\n");
    area.setSelectionRange(place, place + inner.length);
  };
  const use = (name) => {
    const area = field();
    const { selectionStart: start, selectionEnd: end, value: text } = area;
    const [, , tag] = INLINE.find(([other]) => other === name) || [];
    const [, fields, markup, word] = BLOCKS.find(([other]) => other === name) || [];
    const isPossible = !tag || isInline(text, start, end);
    setMessage(isPossible ? (name === "Form" ? "The form that you choose for this page is shown there." : "") : `${name}: select words within one paragraph first.`);
    if (!isPossible) return area.focus();
    const ask = (asks, act) => setAsked({ title: name, fields: asks, done: (values) => {
      // The browser may forget the selection while the dialog is open.
      area.setSelectionRange(start, end);
      act(values);
    } });
    if (name === "Link") ask(start === end ? [TEXT, ADDRESS] : [ADDRESS], (values) => wrap(tag, values));
    else if (tag) wrap(tag, {});
    else if (fields.length) ask(fields, (values) => insertBlocks(area, markup(values)));
    else insertBlocks(area, markup(), word);
  };
  const keyDown = (event) => {
    isPlainPaste.current = event.shiftKey && event.key.toLowerCase() === "v";
    const tool = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && INLINE.find(([, key]) => key === event.key.toLowerCase());
    if (!tool) return;
    event.preventDefault();
    use(tool[0]);
  };
  const paste = (event) => {
    const area = event.target;
    const { selectionStart: start, selectionEnd: end, value: text } = area;
    const pasted = isPlainPaste.current ? null : fromClipboard(event.clipboardData);
    if (!pasted) return;
    event.preventDefault();
    const isWhole = start !== end && ((isBetween(text, start) && placeFor(text, end) === end) || end - start === text.length);
    if (isWhole) replace(area, start, end, pasted.blocks);
    else if (pasted.inline && !isBetween(text, start) && isInline(text, start, end)) replace(area, start, end, pasted.inline);
    else insertBlocks(area, pasted.blocks);
  };
  const finish = async (values) => {
    const size = asked.title === "Picture" ? await sizeOf(values.address) : "";
    setAsked(null);
    // The dialog gives the focus back when it has closed.
    setTimeout(() => asked.done({ ...values, size }));
  };
  return html`<div ref=${root} class="content">
    <${LongText} tools=${html`<${Toolbar} tools=${[...BLOCKS, ...INLINE]} use=${use} /><p class="hint" role="status">${message}</p>`} hint="HTML, text, or the markup of blocks. Ctrl+Shift+V pastes text only" ...${attributes} value=${shown(value)} change=${(text) => change(withBreaks(value, text))}
      onKeyDown=${keyDown} onPaste=${paste} rows="20" class="code" spellcheck="true" />
    ${asked && html`<${Ask} ...${asked} done=${finish} close=${() => setAsked(null)} />`}
  </div>`;
}
