// The content of a page: a text field, and a toolbar that inserts blocks at the cursor.
import { html, useId, useRef, useState } from "./lib.js";
import { buttons, columns, escape, formMarker, hasBlocks, heading, insertion, isInline, list, paragraph, picture, placeFor, quote, separator, shown, withBreaks } from "./blocks.js";
import { fromClipboard } from "./paste.js";
import { hasPart } from "./api.js";
import { Dialog, LongText, Text } from "./ui.js";

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
  ["Picture", [ADDRESS, ALT], ({ address, alt = "" }) => picture(address, alt)],
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
  const enter = (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    submit();
  };
  return html`<${Dialog} title=${title} close=${close}><div onKeyDown=${enter}>
    ${fields.map(([name, label, attributes], place) => html`<${Text} ...${{ name, label, error, ...attributes }} autofocus=${place === 0}
      value=${values[name]} change=${(text) => setValues((before) => ({ ...before, [name]: text }))} />`)}
    <div class="actions"><button type="button" class="main" onClick=${submit}>Insert</button><button type="button" onClick=${close}>Cancel</button></div>
  </div><//>`;
}

/** Buttons in one stop of the Tab key, with the arrow keys between them. */
function Toolbar({ controls, tools, use }) {
  const [current, setCurrent] = useState(0);
  const move = (event) => {
    const steps = { ArrowRight: current + 1, ArrowLeft: current - 1 + tools.length, Home: 0, End: tools.length - 1 };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const next = steps[event.key] % tools.length;
    setCurrent(next);
    event.currentTarget.querySelectorAll("button")[next].focus();
  };
  return html`<div class="toolbar" role="toolbar" aria-label="Insert into the content" aria-controls=${controls} onKeyDown=${move}>
    ${tools.map(([name, key], place) => html`<button type="button" tabindex=${place === current ? 0 : -1} onFocus=${() => setCurrent(place)}
      onClick=${() => use(name)} ...${typeof key === "string" ? { title: `Ctrl+${key.toUpperCase()}`, "aria-keyshortcuts": `Control+${key}` } : {}}>${name}</button>`)}
  </div>`;
}

export function Content({ value, change, ...attributes }) {
  const root = useRef();
  const id = useId();
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
  const finish = (values) => {
    setAsked(null);
    // The dialog gives the focus back when it has closed.
    setTimeout(() => asked.done(values));
  };
  return html`<div ref=${root} class="content" id=${id}>
    <${Toolbar} controls=${id} tools=${[...BLOCKS, ...INLINE]} use=${use} />
    <p class="hint" role="status">${message}</p>
    <${LongText} label="Content" hint="HTML, text, or the markup of blocks. Ctrl+Shift+V pastes text only" ...${attributes} value=${shown(value)} change=${(text) => change(withBreaks(value, text))}
      onKeyDown=${keyDown} onPaste=${paste} rows="20" class="code" spellcheck="true" />
    ${asked && html`<${Ask} ...${asked} done=${finish} close=${() => setAsked(null)} />`}
  </div>`;
}
