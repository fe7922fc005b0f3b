// WordPress' grammar of blocks. A content is a tree of blocks, which is never changed in place: each change returns another
// tree. A block keeps the texts that it was read from, so that whatever nobody changes is written byte by byte as it was.

const START = /<!--\s*\/?wp:/g;
const DELIMITER = /<!--\s+(\/)?wp:((?:[a-z][a-z0-9_-]*\/)?[a-z][a-z0-9_-]*)\s+(\{(?:[^"}-]|"(?:[^"\\]|\\.)*"|-(?!->)|\}(?!\s+\/?-->))*\}\s+)?(\/)?-->/sy;
// So that no content exhausts the stack.
const DEEPEST = 50;
let ids = 0;

/** Return a block: `parts` are its HTML as texts, and its blocks. One without a name is HTML between blocks. */
const make = (name, open, parts = [], close = "", json = "") => ({ id: (ids += 1), name, open, json, parts, close });
export const isBlock = (part) => typeof part !== "string";
export const write = (block) => block.open + block.parts.map((part) => (isBlock(part) ? write(part) : part)).join("") + block.close;

/** The name of the root of a tree. */
const PAGE = "/";

/** Return `{tree}`, or `{problem}` with a message and its place, `at` to `end`. */
export function parse(text) {
  const open = [{ block: make(PAGE, "") }];
  let end = 0;
  for (const { index: at } of text.matchAll(START)) {
    if (at < end) continue;
    DELIMITER.lastIndex = at;
    const [found, slash, name, json = "", alone] = DELIMITER.exec(text) || [""];
    const { block, from = at } = open.at(-1);
    if (!found) return problem(text, at, text.indexOf("-->", at) + 3 || text.length, "this is no complete delimiter of a block");
    if (slash && name !== block.name) return problem(text, at, at + found.length, `wp:${name} is closed, but ${block.name === PAGE ? "no block" : `wp:${block.name} of line ${lineOf(text, from)}`} is open`);
    if (open.length > DEEPEST) return problem(text, at, at + found.length, "blocks are nested too deep");
    if (at > end) block.parts.push(text.slice(end, at));
    end = at + found.length;
    if (slash) block.close = open.pop() && found;
    else {
      const next = make(name, found, [], "", json);
      block.parts.push(next);
      if (!alone) open.push({ block: next, from: at });
    }
  }
  const { block, from } = open.pop();
  if (open.length) return problem(text, from, from + block.open.length, `wp:${block.name} is not closed`);
  if (end < text.length) block.parts.push(text.slice(end));
  // HTML between blocks is a block too, without the white space around it.
  block.parts = block.parts.flatMap((part) => (isBlock(part) || !part.trim() ? [part] : loose(part)));
  return { tree: block };
}

const lineOf = (text, at) => text.slice(0, at).split("\n").length;
const problem = (text, at, end, message) => ({ problem: { at, end, message: `Line ${lineOf(text, at)}: ${message}.` } });
const loose = (text) => [/^\s*/.exec(text)[0], make("", "", [text.trim()]), /\s*$/.exec(text)[0]].filter(Boolean);

/** Return the blocks of a text that has no problem, with numbers of their own. */
export const blocksOf = (text) => parse(text).tree.parts.filter(isBlock);

export const childrenOf = (block) => block.parts.filter(isBlock);
export const kindOf = ({ name }) => name.replace(/^core\//, "");

/** Return a block and all in it, in the order of the page, each with its parent. */
export const all = (block, parent = null) => [{ block, parent }, ...childrenOf(block).flatMap((child) => all(child, block))];
export const find = (tree, id) => all(tree).find(({ block }) => block.id === id);

/** Return a tree with `change(block)` in place of a block. */
export function replace(tree, id, change) {
  if (tree.id === id) return change(tree);
  const parts = tree.parts.map((part) => (isBlock(part) ? replace(part, id, change) : part));
  return parts.some((part, place) => part !== tree.parts[place]) ? { ...tree, parts } : tree;
}

// Where the blocks of one without any begin: before the tags at its end.
const LAST_TAGS = /(?:<\/(?:div|ul|ol|blockquote|figure|details)>\s*)*$/;

/** Return a block with others before its block of a number, or at its end. */
function inserted(block, place, added) {
  const parts = [...block.parts];
  const places = [...parts.keys()].filter((number) => isBlock(parts[number]));
  const joined = added.flatMap((one) => ["\n\n", one]).slice(1);
  if (place < places.length) parts.splice(places[place], 0, ...joined, "\n\n");
  else if (places.length) parts.splice(places.at(-1) + 1, 0, "\n\n", ...joined);
  else {
    const text = parts.join("");
    const at = LAST_TAGS.exec(text).index;
    return { ...block, parts: [text.slice(0, at), ...joined, text.slice(at)].filter(Boolean) };
  }
  return { ...block, parts };
}

export const insert = (tree, parent, place, added) => replace(tree, parent, (block) => inserted(block, place, added));

/** Return a tree without a block, and without the white space between it and the one before. */
export function remove(tree, id) {
  const { parent } = find(tree, id);
  const at = parent.parts.findIndex((part) => part.id === id);
  const isGap = (place) => [place - 1, place + 1].every((other) => parent.parts[other]?.id) && !isBlock(parent.parts[place]) && !parent.parts[place].trim();
  const [from, count] = at > 1 && isGap(at - 1) ? [at - 1, 2] : [at, isGap(at + 1) ? 2 : 1];
  return replace(tree, parent.id, (block) => ({ ...block, parts: block.parts.toSpliced(from, count) }));
}

/** Return a tree with a block before the one of a number in a parent. What stands between the blocks of one parent stays. */
export function move(tree, id, target, place) {
  const { block, parent } = find(tree, id);
  if (parent.id !== target) return insert(remove(tree, id), target, place, [block]);
  const others = childrenOf(parent).filter((child) => child !== block);
  const before = childrenOf(parent).indexOf(block) < place ? 1 : 0;
  others.splice(place - before, 0, block);
  return replace(tree, target, (one) => ({ ...one, parts: one.parts.map((part) => (isBlock(part) ? others.shift() : part)) }));
}

/** Return the attributes of a block, or null if they are no object. */
export function attributesOf({ json }) {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return null;
  }
}

const ESCAPED = { "--": "\\u002d\\u002d", "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", '\\"': "\\u0022" };
/** Return a block with some attributes changed; those that are undefined are removed. */
export function withAttributes(block, changes) {
  const text = JSON.stringify({ ...attributesOf(block), ...changes }).replace(/--|[<>&]|\\"/g, (sign) => ESCAPED[sign]);
  const json = text === "{}" ? "" : `${text} `;
  return { ...block, json, open: `<!-- wp:${block.name} ${json}${block.open.endsWith("/-->") ? "/" : ""}-->` };
}

const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const attributeIn = (tag, name) => [...tag.matchAll(ATTRIBUTE)].find((found) => found[1].toLowerCase() === name);
/** Return the value of an attribute of a tag, "" if it has none. */
export function attribute(tag, name) {
  const [, , double, single, bare] = attributeIn(tag, name) || [];
  return unescape(double ?? single ?? bare ?? "");
}
const unescape = (text) => text.replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] || "'");
/** Escape a text for HTML, also for a value of an attribute. */
export const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** Return a tag with a value of an attribute; null removes it. */
export function withAttribute(tag, name, value) {
  const written = value === null ? "" : ` ${name}="${escape(value)}"`;
  const found = attributeIn(tag, name);
  if (found) return tag.slice(0, found.index) + written + tag.slice(found.index + found[0].length);
  return tag.replace(/\s*\/?>$/, (end) => written + end);
}

const TAG = /<!--[^]*?-->|<(\/?)([a-z][a-z0-9]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi;
const TEXTS = new Set("p h1 h2 h3 h4 h5 h6 li summary figcaption cite td th pre".split(" "));
const HOLDS_BLOCKS = /<(?:p|div|h[1-6]|[uo]l|dl|table|figure|blockquote|pre|hr|section|form|details|iframe|script|style)\b/i;

/**
 * Return the texts and pictures in the HTML of a block itself: `{part, tag, at, start, end}`. The tag is from `at` to `start`,
 * and the text of the element from there to `end`.
 */
export function slotsOf({ parts }) {
  return parts.flatMap((text, part) => (isBlock(text) ? [] : slotsIn(text, part)));
}

function slotsIn(text, part) {
  const slots = [];
  let end = 0;
  for (const { 0: whole, 1: slash, 2: name = "", 3: attributes, index: at } of text.matchAll(TAG)) {
    const start = at + whole.length;
    const tag = name.toLowerCase();
    if (at < end || slash) continue;
    if (tag === "img") slots.push({ part, tag, at, start, end: start });
    if (!TEXTS.has(tag) && !(tag === "a" && /\bwp-block-button__link\b/.test(attributes))) continue;
    const close = text.slice(start).search(tag === "li" ? /<\/?(?:li|[uo]l)\b|$/i : new RegExp(`</${tag}\\s*>`, "i"));
    if (close < 0 || HOLDS_BLOCKS.test(text.slice(start, start + close))) continue;
    end = start + close;
    slots.push({ part, tag, at, start, end });
  }
  return slots;
}

export const textOf = ({ parts }, { part, start, end }) => parts[part].slice(start, end);
export const tagOf = ({ parts }, { part, at, start }) => parts[part].slice(at, start);
export const withPart = (block, place, text) => ({ ...block, parts: block.parts.with(place, text) });
export const withText = (block, { part, start, end }, html) => withPart(block, part, block.parts[part].slice(0, start) + html + block.parts[part].slice(end));
export const withTag = (block, { part, at, start }, tag) => withPart(block, part, block.parts[part].slice(0, at) + tag + block.parts[part].slice(start));
