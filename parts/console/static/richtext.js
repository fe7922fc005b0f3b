// A text of a block, edited by ProseMirror: bold, italic, links and line breaks. Other inline markup stays as it is; a text of
// which ProseMirror would lose anything is edited as HTML.
import { html, useLayoutEffect, useMemo, useRef } from "./lib.js";
import { shown } from "./blocks.js";
import { escape } from "./grammar.js";
import { fromClipboard } from "./paste.js";
import { DOMParser as Parser, DOMSerializer, EditorState, EditorView, Schema, TextSelection, keydownHandler, toggleMark } from "./prosemirror.js";

const INLINE = new Set("A ABBR B BDI BDO CITE CODE DEL DFN EM FONT I INS KBD MARK Q S SAMP SMALL SPAN STRONG SUB SUP TIME U VAR".split(" "));
// What may be where an address is asked for.
export const ADDRESS = /^\s*(?:https?:\/\/|mailto:|tel:|[/#?])/i;
// Nothing of a content is loaded or run in it.
const inert = document.implementation.createHTMLDocument("");
/** Return HTML as an element that is never shown. */
export function parsed(source) {
  const template = inert.createElement("template");
  template.innerHTML = source;
  return template.content;
}

const attributesOf = (element) => Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
// The marks as they are shown, and as they are written.
const mark = (tag, other) => ({ attrs: { tag: { default: tag } }, toDOM: ({ attrs }) => [attrs.tag, 0], parseDOM: [tag, other].map((name) => ({ tag: name, getAttrs: (one) => !one.attributes.length && { tag: name } })) });
const schema = new Schema({
  nodes: {
    doc: { content: "inline*" },
    text: { group: "inline" },
    br: { inline: true, group: "inline", selectable: false, parseDOM: [{ tag: "br" }], toDOM: () => ["br"] },
    // What is no text, such as a small picture: its HTML is kept, and its name is shown.
    other: {
      inline: true, group: "inline", attrs: { source: {} }, parseDOM: [{ tag: "*", priority: 10, getAttrs: (one) => ({ source: one.outerHTML }) }],
      toDOM: ({ attrs }) => ["span", { class: "tag" }, /\w+/.exec(attrs.source)[0]],
    },
  },
  marks: {
    link: {
      inclusive: false, attrs: { attributes: {} }, parseDOM: [{ tag: "a", getAttrs: (one) => ({ attributes: attributesOf(one) }) }],
      toDOM: ({ attrs: { attributes } }) => ["a", ADDRESS.test(attributes.href) ? { href: attributes.href, title: attributes.href } : {}, 0],
    },
    strong: mark("strong", "b"), em: mark("em", "i"),
    element: { excludes: "", attrs: { tag: {}, attributes: {} }, toDOM: ({ attrs }) => [attrs.tag, 0], parseDOM: [{ tag: "*", priority: 20, getAttrs: (one) => INLINE.has(one.tagName) && { tag: one.tagName.toLowerCase(), attributes: attributesOf(one) } }] },
  },
});
const parser = Parser.fromSchema(schema);
const { nodes, marks } = DOMSerializer.fromSchema(schema);
const written = ({ attrs: { tag = "a", attributes } }) => {
  const dom = inert.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) dom.setAttribute(name, value);
  return { dom, contentDOM: dom };
};
const serializer = new DOMSerializer({ ...nodes, other: ({ attrs }) => parsed(attrs.source).firstChild }, { ...marks, link: written, element: written });

const docOf = (source) => parser.parse(parsed(source), { preserveWhitespace: true });
function htmlOf(doc) {
  const target = inert.createElement("p");
  serializer.serializeFragment(doc.content, { document: inert }, target);
  return target.innerHTML;
}

/** Return the texts of HTML with the tags that each is within, in any order: what may not be lost. */
function runsOf(node, within = []) {
  const runs = [...node.childNodes].flatMap((child) => {
    if (child.nodeType === Node.TEXT_NODE) return [[child.data.replace(/\s+/g, " "), [...within].sort().join()]];
    if (!child.firstChild || !INLINE.has(child.tagName)) return [[child.outerHTML || `<!--${child.data}-->`, [...within].sort().join()]];
    return runsOf(child, [...within, child.cloneNode(false).outerHTML]);
  });
  return runs.reduce((all, [text, tags]) => (all.at(-1)?.[1] === tags ? [...all.slice(0, -1), [all.at(-1)[0] + text, tags]] : [...all, [text, tags]]), []);
}
/** Return whether a text is edited without a loss. The browser reports handlers in it, though none runs. */
function isRich(source) {
  try {
    return !/\son\w+\s*=/i.test(source) && JSON.stringify(runsOf(parsed(source))) === JSON.stringify(runsOf(parsed(htmlOf(docOf(source)))));
  } catch {
    return false;
  }
}
/** Return how many places for a cursor a text has after its beginning. */
export const lengthOf = (source) => docOf(source).content.size;

/** The view of the text that was edited last, on which the buttons of its block act. */
let active = null;
export const isActive = (block) => active?.dom.closest("[data-block]")?.dataset.block === String(block.id);
export const toggle = (name) => toggleMark(schema.marks[name])(active.state, active.dispatch) && active.focus();

/** Return the address of the link at the selection, or null where no text is selected that may be one. */
export function linkAt() {
  const { $from, from, to, empty } = active.state.selection;
  if (empty && !schema.marks.link.isInSet($from.marks())) return null;
  let address = "";
  active.state.doc.nodesBetween(from, Math.max(to, from + 1), (node) => void (address ||= schema.marks.link.isInSet(node.marks)?.attrs.attributes.href || ""));
  return address;
}

/** Make the selection, or the link around the cursor, a link to an address; none without one. */
export function setLink(address) {
  const { state } = active;
  const isLink = (node) => node && schema.marks.link.isInSet(node.marks);
  let { from, to } = state.selection;
  if (from === to) state.doc.forEach((node, at) => void (isLink(node) && at <= from && from <= at + node.nodeSize && ([from, to] = [at, at + node.nodeSize])));
  const change = state.tr.removeMark(from, to, schema.marks.link);
  active.dispatch(address ? change.addMark(from, to, schema.marks.link.create({ attributes: { href: address } })) : change);
  active.focus();
}

/** Insert what is pasted: words at the cursor, paragraphs as blocks by `paste`. ProseMirror would parse it with its handlers. */
function pasteInto(view, event, isPlain, paste) {
  event.preventDefault();
  const text = shown(event.clipboardData.getData("text/plain"));
  const rich = isPlain ? null : fromClipboard(event.clipboardData);
  if (rich && !rich.inline) paste(rich.blocks);
  else if (!rich && !isPlain && text.includes("<!-- wp:")) paste(text);
  else view.dispatch(view.state.tr.replaceSelection(docOf(rich?.inline ?? escape(text).replace(/\n/g, "<br>")).slice(0)).scrollIntoView());
  return true;
}

/**
 * The field of a text. `change(html)` gets each change; `enter(before, after)`, `backspace()` and `paste(blocks)` return whether they
 * have changed the blocks. `link()` asks for an address. Its element has `putCursor(place)`.
 */
export function RichText({ source, label, change, enter, backspace, paste, link }) {
  const place = useRef();
  const view = useRef();
  const written = useRef(source);
  const latest = useRef();
  latest.current = { change, enter, backspace, paste, link };
  const rich = useMemo(() => isRich(source), [source === written.current]);
  useLayoutEffect(() => {
    if (!rich) return undefined;
    const split = () => {
      const { doc, selection: { from, to } } = view.current.state;
      return latest.current.enter(htmlOf(doc.cut(0, from)), htmlOf(doc.cut(to)));
    };
    const lineBreak = (state, dispatch) => dispatch(state.tr.replaceSelectionWith(schema.nodes.br.create()).scrollIntoView()) || true;
    let isPlain = false;
    const keys = keydownHandler({
      "Mod-b": toggleMark(schema.marks.strong), "Mod-i": toggleMark(schema.marks.em), "Mod-k": () => latest.current.link() || true,
      Enter: (state, dispatch) => split() || lineBreak(state, dispatch), "Shift-Enter": lineBreak,
      Backspace: ({ selection }) => selection.empty && selection.from === 0 && latest.current.backspace(htmlOf(view.current.state.doc)),
    });
    view.current = new EditorView(place.current, {
      state: EditorState.create({ schema, doc: docOf(source) }),
      attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label, spellcheck: "true", class: "rich" },
      handleKeyDown: (one, event) => {
        isPlain = event.shiftKey && event.key.toLowerCase() === "v";
        return keys(one, event);
      },
      handleDrop: (_view, _event, _slice, isMoved) => !isMoved,
      handleDOMEvents: { focus: (one) => void (active = one), paste: (one, event) => pasteInto(one, event, isPlain, (blocks) => latest.current.paste(blocks)) },
      dispatchTransaction(transaction) {
        view.current.updateState(view.current.state.apply(transaction));
        if (transaction.docChanged) latest.current.change((written.current = htmlOf(view.current.state.doc)));
      },
    });
    /** @type {any} */ (view.current.dom).putCursor = (at) => {
      const { state } = view.current;
      view.current.dispatch(state.tr.setSelection(TextSelection.create(state.doc, Math.min(at, state.doc.content.size))));
      view.current.focus();
    };
    return () => {
      if (active === view.current) active = null;
      view.current.destroy();
    };
  }, [rich]);
  useLayoutEffect(() => {
    // An undo, or another change of the block, has changed the text.
    if (!rich || source === written.current) return;
    written.current = source;
    view.current.updateState(EditorState.create({ schema, doc: docOf(source) }));
  });
  if (rich) return html`<div class="rich-text" ref=${place}></div>`;
  return html`<textarea class="code" rows="3" aria-label=${`${label}, as HTML`} value=${shown(source)} onInput=${(event) => change((written.current = event.target.value))}></textarea>`;
}
