// Pasted HTML of word processors and web pages, made to clean blocks.
import { heading, join, list, paragraph, quote, separator } from "./blocks.js";
import { escape } from "./grammar.js";

const DROPPED = new Set("SCRIPT STYLE TITLE TEMPLATE NOSCRIPT OBJECT IFRAME SVG MATH VIDEO AUDIO SELECT TEXTAREA BUTTON".split(" "));
const MARKS = { B: "strong", STRONG: "strong", I: "em", EM: "em" };
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;
const HIDDEN = /display:\s*none|mso-hide:\s*all|mso-list:\s*ignore/i;
const BOLD = /font-weight:\s*(?:bold|[6-9]00)/i;
const ITALIC = /font-style:\s*italic/i;
// The elements that begin a new paragraph.
const BLOCKS = new Set("ADDRESS ARTICLE ASIDE CAPTION DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM HEADER LI MAIN NAV P PRE SECTION SUMMARY TABLE TD TH TR".split(" "));
// So that no clipboard exhausts the stack.
const DEEPEST = 200;

/** Finished blocks, and the texts of the open paragraph with their marks. */
class Reader {
  constructor() {
    this.blocks = [];
    this.runs = [];
  }

  text(data, marks) {
    const text = data.replace(/[ \t\n\r\f]+/g, " ").replace(/[ \u00a0]{2,}/g, " ");
    const last = this.runs.at(-1);
    if (last && last.key === marks.join()) last.text += text;
    else if (text) this.runs.push({ key: marks.join(), marks, text });
  }

  /** Return the HTML of the open paragraph, which is empty then. */
  take() {
    const written = this.runs.map(({ marks, text }) => ({ marks: text.trim() ? marks : [], html: text === "\n" ? "<br>" : escape(text) }));
    this.runs = [];
    const inner = written.map(({ marks, html }) => marks.reduceRight((within, [tag, attributes]) => `<${tag}${attributes}>${within}</${tag}>`, html)).join("");
    return inner.replace(/ {2,}/g, " ").replace(/\s*<br>\s*/g, "<br>").replace(/^(?:<br>|\s)+|(?:<br>|\s)+$/g, "");
  }

  /** End the open paragraph. */
  flush(more = {}) {
    const html = this.take();
    if (html) this.blocks.push({ tag: "p", html, ...more });
  }
}

function read(nodes, reader, marks, depth = 0) {
  if (depth > DEEPEST) return;
  for (const node of nodes) {
    if (node.nodeType === Node.TEXT_NODE) readText(node, reader, marks);
    else if (node.nodeType === Node.ELEMENT_NODE) readElement(node, reader, marks, depth + 1);
  }
}

function readText(node, reader, marks) {
  const isPreformatted = node.parentElement.closest("pre");
  for (const [place, line] of (isPreformatted ? node.data.split("\n") : [node.data]).entries()) {
    if (place) breakLine(reader);
    reader.text(line, marks);
  }
}

function readElement(node, reader, marks, depth) {
  const tag = node.tagName.toUpperCase();
  const style = node.getAttribute("style") || "";
  if (DROPPED.has(tag) || HIDDEN.test(style) || node.hidden) return;
  const within = (inner = marks) => read(node.childNodes, reader, inner, depth);
  if (tag === "BR") breakLine(reader);
  else if (/^H[1-6]$/.test(tag) || /\bMsoTitle\b/.test(node.className)) {
    reader.flush();
    within([]);
    reader.flush({ tag: "h", level: Math.max(2, +tag[1] || 2) });
  } else if (tag === "UL" || tag === "OL") {
    reader.flush();
    const [items, isOrdered, level] = [readItems(node, depth), tag === "OL", node.firstElementChild?.dataset?.ariaLevel];
    // Word in a browser makes a list of each item.
    if (level && items.length === 1) reader.blocks.push({ tag: "item", html: items[0], level: +level, isOrdered });
    else reader.blocks.push({ tag: "list", isOrdered, items });
  } else if (tag === "HR" || tag === "BLOCKQUOTE") {
    reader.flush();
    reader.blocks.push({ tag, html: quoted(node, depth) });
  } else if (/mso-list:/i.test(style) && tag === "P") {
    reader.flush();
    within();
    reader.flush({ tag: "item", ...wordItem(node, style) });
  } else if (BLOCKS.has(tag)) {
    reader.flush();
    within();
    reader.flush();
  } else within([...marks, ...marksOf(node, tag, style).filter((mark) => !marks.some(([name]) => name === mark[0]))]);
}

/** A line break; two of them end the paragraph. */
function breakLine(reader) {
  const last = reader.runs.findLast(({ text }) => text !== " ");
  if (last?.text === "\n") reader.flush();
  else reader.runs.push({ key: "\n", marks: [], text: "\n" });
}

/** Return the tags that an inline element stands for. */
function marksOf(node, tag, style) {
  const address = (node.getAttribute("href") || "").trim();
  if (tag === "A") return LINK.test(address) ? [["a", ` href="${escape(address)}"`]] : [];
  // Google Docs has a bold element of normal weight around everything.
  if (MARKS[tag]) return /(?:^|;)\s*font-(?:weight|style):\s*(?:normal|400)/i.test(style) ? [] : [[MARKS[tag], ""]];
  return [...(BOLD.test(style) ? [["strong", ""]] : []), ...(ITALIC.test(style) ? [["em", ""]] : [])];
}

/** Return the items of a list; a list beside the items belongs to the item before it. */
function readItems(node, depth) {
  const items = [];
  for (const child of node.children) {
    const reader = new Reader();
    read([child], reader, [], depth + 1);
    reader.flush();
    const html = htmlOf(reader.blocks);
    if (child.tagName === "LI" && html) items.push(html);
    else if (html) items.push((items.pop() || "") + html);
  }
  return items;
}

/** Return the HTML within an item. */
const htmlOf = (blocks) => folded(blocks).filter(({ tag, html }) => tag === "list" || html).reduce((html, block) =>
  (block.tag === "list" ? html + markupOf(block) : `${html}${html && !html.endsWith("-->") ? "<br>" : ""}${block.html}`), "");

function quoted(node, depth) {
  const reader = new Reader();
  read(node.childNodes, reader, [], depth);
  reader.flush();
  const htmlIn = (block) => ({ list: markupOf, BLOCKQUOTE: ({ html }) => html }[block.tag] || (({ html }) => html && `<p>${html}</p>`))(block);
  return folded(reader.blocks).map(htmlIn).join("");
}

/** Return the level and kind of an item of Word: a paragraph with its sign in a hidden element. */
function wordItem(node, style) {
  const sign = [...node.querySelectorAll("[style]")].find((one) => /mso-list:\s*ignore/i.test(one.getAttribute("style")));
  return { level: +(/level(\d)/i.exec(style)?.[1] || 1), isOrdered: /^\(?[\da-z]{1,4}[.)]/i.test((sign?.textContent || "").trim()) };
}

/** Return the blocks with lists in place of the items of Word. */
function folded(blocks) {
  const result = [];
  for (let place = 0; place < blocks.length;) {
    if (blocks[place].tag !== "item") result.push(blocks[place++]);
    else {
      const end = blocks.findIndex(({ tag }, other) => other > place && tag !== "item");
      const items = blocks.slice(place, end < 0 ? blocks.length : end);
      result.push(...nested(items));
      place += items.length;
    }
  }
  return result;
}

/** Return the lists of items with levels. */
function nested(items) {
  const lists = [];
  for (let place = 0; place < items.length;) {
    const { html, level, isOrdered } = items[place];
    let end = place + 1;
    while (end < items.length && items[end].level > level) end += 1;
    const item = html + nested(items.slice(place + 1, end)).map(markupOf).join("");
    if (lists.at(-1)?.isOrdered === isOrdered) lists.at(-1).items.push(item);
    else lists.push({ tag: "list", isOrdered, items: [item] });
    place = end;
  }
  return lists;
}

const markupOf = ({ tag, html, level, items, isOrdered }) =>
  ({ h: () => heading(html, level), list: () => list(items, isOrdered), HR: separator, BLOCKQUOTE: () => quote(html) }[tag] || (() => paragraph(html)))();

/** Return pasted HTML as `{blocks, inline}`: the markup, and the HTML of a single paragraph; null for nothing. */
function convert(source) {
  const reader = new Reader();
  // Nothing in such a document is loaded or run; but the browser reports each handler that it refuses.
  const quiet = source.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/"[^"]*"|'[^']*'|([\s"'])on(?=\w+\s*=)/gi, (found, before) => (before === undefined ? found : `${before}data-on`)));
  read(new DOMParser().parseFromString(quiet, "text/html").body.childNodes, reader, []);
  reader.flush();
  const blocks = folded(reader.blocks).filter(({ tag, html, items }) => tag === "HR" || html || items?.length);
  if (!blocks.length) return null;
  return { blocks: join(blocks.map(markupOf)), inline: blocks.length === 1 && blocks[0].tag === "p" ? blocks[0].html : "" };
}

/** Return what a paste of a clipboard inserts, or null if the browser is to paste its text. */
export function fromClipboard(clipboard) {
  const source = clipboard.getData("text/html");
  // Somebody who copies markup wants this markup.
  return source && !/<\/?[a-z!][^>]*>/i.test(clipboard.getData("text/plain")) ? convert(source) : null;
}
