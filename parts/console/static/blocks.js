// The markup of WordPress' blocks: what the toolbar inserts, and where it is inserted.

/** Escape a text for HTML, also for a value of an attribute. */
export const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** Return a block with its HTML; `attributes` is an object. */
function block(name, html, attributes) {
  const json = attributes ? `${JSON.stringify(attributes)} ` : "";
  return `<!-- wp:${name} ${json}-->\n${html}\n<!-- /wp:${name} -->`;
}

export const join = (blocks) => blocks.join("\n\n");
export const paragraph = (html) => block("paragraph", `<p>${html}</p>`);
export const heading = (html, level = 2) => block("heading", `<h${level} class="wp-block-heading">${html}</h${level}>`, level === 2 ? undefined : { level });
export const quote = (html) => block("quote", `<blockquote class="wp-block-quote">${html}</blockquote>`);
export const separator = () => block("separator", '<hr class="wp-block-separator has-alpha-channel-opacity"/>');
/** A list; each item is HTML, which may end with another list. */
export function list(items, isOrdered = false) {
  const tag = isOrdered ? "ol" : "ul";
  const inner = join(items.map((item) => block("list-item", `<li>${item}</li>`)));
  return block("list", `<${tag} class="wp-block-list">${inner}</${tag}>`, isOrdered ? { ordered: true } : undefined);
}
export const buttons = (...links) => block("buttons", `<div class="wp-block-buttons">${join(links.map(([text, address]) =>
  block("button", `<div class="wp-block-button"><a class="wp-block-button__link wp-element-button" href="${escape(address)}">${escape(text)}</a></div>`)))}</div>`);
/** A picture; `size` is ` width="…" height="…"`, so that a page keeps its place free. */
export const picture = (address, alt, size = "") => block("image", `<figure class="wp-block-image"><img src="${escape(address)}" alt="${escape(alt)}"${size}/></figure>`);
export const columns = (...contents) => block("columns", `<div class="wp-block-columns">${join(contents.map((content) =>
  block("column", `<div class="wp-block-column">${content}</div>`)))}</div>`);
/** The place of a form; the HTML of other blocks has no forms. */
export const formMarker = () => paragraph("[gravityform]");
export const group = (anchor, ...content) => block("group", `<div id="${anchor}" class="wp-block-group has-black-color has-pale-cyan-blue-background-color has-text-color has-background">${join(content)}</div>`,
  { backgroundColor: "pale-cyan-blue", textColor: "black" });
export const cover = (color, ...content) => block("cover", `<div class="wp-block-cover"><span aria-hidden="true" class="wp-block-cover__background has-background-dim-100 has-background-dim" style="background-color:${color}"></span><div class="wp-block-cover__inner-container">${join(content)}</div></div>`,
  { customOverlayColor: color, dimRatio: 100 });

const DELIMITER = /^\s+(\/?)wp:([\w/-]+)\s/;
// The blocks that may hold any others.
const HOLDERS = ["column", "group", "cover", "media-text", "quote"];
const EMPTY_ELEMENT = /^\s*<\w+[^>]*>\s*<\/\w+>\s*$/;

/** Return the tree of blocks: `{name, start, inner, innerEnd, end, children}`. */
function parse(text) {
  const root = { children: [] };
  const open = [root];
  for (let start = text.indexOf("<!--"); start >= 0; start = text.indexOf("<!--", start + 4)) {
    const close = text.indexOf("-->", start + 4);
    if (close < 0) break;
    const [found, slash, name] = DELIMITER.exec(text.slice(start + 4, close + 1)) || [];
    const end = close + 3;
    const isAlone = text[close - 1] === "/";
    if (found && isAlone && !slash) open.at(-1).children.push({ name, start, end, inner: end, innerEnd: end, children: [] });
    else if (found && !slash) open.push({ name, start, inner: end, children: [] });
    else if (found) closeBlock(open, name, start, end);
  }
  // What is not closed is no block, but what is in it may be.
  for (const one of open.slice(1)) root.children.push(...one.children);
  return root;
}

function closeBlock(open, name, innerEnd, end) {
  const place = open.findLastIndex((one) => one.name === name);
  if (place < 1) return;
  const unclosed = open.splice(place);
  const [closed] = unclosed;
  for (const one of unclosed.slice(1)) closed.children.push(...one.children);
  open.at(-1).children.push({ ...closed, innerEnd, end });
}

export const hasBlocks = (text) => text.includes("<!-- wp:");
const isAt = (cursor) => ({ start, end }) => start < cursor && cursor < end;

/** Return whether any block may be inserted into this one. */
const isHolder = (text, { name, children, inner, innerEnd }) =>
  !name || (HOLDERS.includes(name) && (children.length > 0 || EMPTY_ELEMENT.test(text.slice(inner, innerEnd))));

function holderAt(text, level, cursor) {
  const inside = level.children.find(isAt(cursor));
  return (inside && holderAt(text, inside, cursor)) || (isHolder(text, level) ? level : null);
}

/** Return where a block is inserted: at the cursor if it is between blocks, or after the block. */
export function placeFor(text, cursor) {
  const holder = holderAt(text, parse(text), cursor);
  const { name, children, inner } = holder;
  const here = children.find(isAt(cursor));
  if (here) return here.end;
  const before = Math.max(-1, ...children.map(({ end }) => end).filter((end) => end <= cursor));
  if (!name) return placeInText(text, cursor, Math.min(text.length, ...children.map(({ start }) => start).filter((start) => start >= cursor)));
  if (before >= 0) return before;
  return children.length ? Math.min(...children.map(({ start }) => start)) : text.indexOf(">", inner) + 1;
}

/** Return the cursor if its line is empty before it, otherwise the end of its paragraph, at most `last`. */
function placeInText(text, from, last) {
  const comment = from > 0 ? text.lastIndexOf("<!--", from - 1) : -1;
  const end = comment < 0 ? -1 : text.indexOf("-->", comment);
  if (end >= 0 && from < end + 3) return end + 3;
  const cursor = (isInTag(text.slice(0, from)) && text.indexOf(">", from) + 1) || from;
  const line = text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
  if (cursor === 0 || !line.trim() || /<!--[^]*-->\s*$/.test(line)) return cursor;
  const rest = text.slice(cursor, last);
  const blank = /\n[ \t]*\n/.exec(rest);
  return cursor + (blank ? blank.index : rest.trimEnd().length);
}

/**
 * Return how blocks are inserted into a content: `{at, text}`.
 * A content without blocks gets their HTML only, as its own paragraphs would no longer be rendered beside blocks.
 */
export function insertion(content, cursor, markup) {
  const at = placeFor(content, cursor);
  const before = content.slice(0, at);
  const after = content.slice(at);
  const isClassic = content.trim() && !hasBlocks(content);
  const text = isClassic ? markup.replace(/<!-- wp:.*? -->\n|\n<!-- \/wp:.*? -->/g, "") : markup;
  const lead = !before.trim() || /<\w[^<>]*>$/.test(before) ? "" : "\n".repeat(2 - /\n{0,2}$/.exec(before.slice(-2))[0].length);
  const tail = !after.trim() || after.startsWith("</") ? "" : "\n".repeat(2 - /^\n{0,2}/.exec(after)[0].length);
  return { at, text: lead + text + tail };
}

const isInTag = (before) => /<!?-?$/.test(before) || before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
  /<[a-z/](?:[^<>"']|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$/i.test(before.slice(-5000));

/** Return whether each tag of a text is closed in it, and no other. */
function isBalanced(text) {
  let depth = 0;
  for (const [, slash] of text.matchAll(/<(\/?)(?!br\b)[a-z]/gi)) {
    depth += slash ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Return whether a cursor is beside a paragraph or between the parts of a block, where no words are. */
const isOutside = (text, cursor) => hasBlocks(text) && /^\s*(?:<|$)/.test(text.slice(cursor)) &&
  /(?:-->|<(?:\/?(?:ul|ol|table|thead|tbody|tr|figure|div|blockquote)|\/(?:p|h\d|li))\b[^<>]*>)\s*$/i.test(text.slice(0, cursor).slice(-5000));

/** Return whether a selection lies in one paragraph, so that a tag can be put around it. */
export function isInline(text, start, end) {
  const selected = text.slice(start, end);
  return !isInTag(text.slice(0, start)) && !isInTag(text.slice(0, end)) && !(!selected.trim() && isOutside(text, start)) &&
    !/\n\s*\n|<!--|-->|<\/?(?:p|h\d|div|ul|ol|li|figure|blockquote|hr|table|tr|t[dh])\b/i.test(selected) &&
    isBalanced(selected);
}

/** Return a text as a field shows it, with one kind of line breaks. */
export const shown = (text) => text.replace(/\r\n?/g, "\n");

/** Return what was typed into a field that shows `old`, with the line breaks of `old` where nothing changed. */
export function withBreaks(old, typed) {
  if (!old.includes("\r")) return typed;
  const before = shown(old);
  const most = Math.min(before.length, typed.length);
  let start = 0;
  let end = 0;
  while (start < most && before[start] === typed[start]) start += 1;
  while (end < most - start && before.at(-1 - end) === typed.at(-1 - end)) end += 1;
  return old.slice(0, rawPlace(old, start)) + typed.slice(start, typed.length - end) + old.slice(rawPlace(old, before.length - end));
}

/** Return the place in a text of the character `place` of the shown text. */
function rawPlace(text, place) {
  let at = 0;
  for (let left = place; left > 0; left -= 1) at += text.startsWith("\r\n", at) ? 2 : 1;
  return at;
}
