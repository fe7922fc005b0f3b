// The markup of WordPress' blocks: what is inserted, what of a block is changed other than its texts, and classic HTML made to
// blocks.
import { attribute, attributesOf, blocksOf, childrenOf, escape, insert, kindOf, remove, slotsOf, tagOf, withAttribute, withAttributes, withPart, withTag } from "./grammar.js";

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
export const columns = (...contents) => block("columns", `<div class="wp-block-columns">${join(contents.map((content) =>
  block("column", `<div class="wp-block-column">${content}</div>`)))}</div>`);
/** The place of a form; the HTML of other blocks has no forms. */
export const formMarker = () => paragraph("[gravityform]");
export const group = (anchor, ...content) => block("group", `<div id="${anchor}" class="wp-block-group has-black-color has-pale-cyan-blue-background-color has-text-color has-background">${join(content)}</div>`,
  { backgroundColor: "pale-cyan-blue", textColor: "black" });
export const cover = (color, ...content) => block("cover", `<div class="wp-block-cover"><span aria-hidden="true" class="wp-block-cover__background has-background-dim-100 has-background-dim" style="background-color:${color}"></span><div class="wp-block-cover__inner-container">${join(content)}</div></div>`,
  { customOverlayColor: color, dimRatio: 100 });

/** A cover with a place for a picture, which the text stays readable on. */
const hero = (...content) => block("cover", `<div class="wp-block-cover"><img class="wp-block-cover__image-background" alt="" data-object-fit="cover"/><span aria-hidden="true" class="wp-block-cover__background has-background-dim-60 has-background-dim"></span><div class="wp-block-cover__inner-container">${join(content)}</div></div>`,
  { dimRatio: 60 });
const details = (question, answer) => block("details", `<details class="wp-block-details"><summary>${question}</summary>${paragraph(answer)}</details>`);
const noPicture = () => block("image", '<figure class="wp-block-image"><img alt=""/></figure>');
const plainGroup = (...content) => block("group", `<div class="wp-block-group has-pale-cyan-blue-background-color has-background">${join(content)}</div>`, { backgroundColor: "pale-cyan-blue" });
const column = (...content) => block("column", `<div class="wp-block-column">${join(content)}</div>`);
const gallery = () => block("gallery", `<figure class="wp-block-gallery has-nested-images columns-default is-cropped">${join([noPicture(), noPicture(), noPicture()])}</figure>`, { linkTo: "none" });
const listItem = () => block("list-item", "<li></li>");
const button = () => block("button", '<div class="wp-block-button"><a class="wp-block-button__link wp-element-button"></a></div>');

/** The blocks of the editor by their names: their labels, and what may be in them: `any` block, or those of one name. @type {Record<string, string[]>} */
export const KINDS = {
  "/": ["Page", "any"], "": ["HTML"], paragraph: ["Paragraph"], heading: ["Heading"], list: ["List", "list-item"], "list-item": ["Item", "list"], quote: ["Quote", "any"], pullquote: ["Quote"],
  image: ["Picture"], gallery: ["Gallery", "image"], buttons: ["Buttons", "button"], button: ["Button"], columns: ["Columns", "column"], column: ["Column", "any"],
  group: ["Group", "any"], cover: ["Cover", "any"], "media-text": ["Picture beside text", "any"], details: ["Details", "any"], table: ["Table"],
  preformatted: ["Preformatted text"], verse: ["Verse"], code: ["Code"], separator: ["Separator"], spacer: ["Space"], html: ["HTML"],
};
const WITHOUT_TEXT = ["", "html", "separator", "spacer"];
// What is only within blocks of one name.
const INNER = ["column", "button", "list-item"];
const FORM = /^\[gravityforms?(?=[\s\]/])[^\][<>]*\]$/;

export const isForm = (one) => kindOf(one) === "gravityforms/form" || (["paragraph", "shortcode"].includes(kindOf(one)) && FORM.test(one.parts.join("").replace(/<[^>]*>/g, "").trim()));

/** Return whether the editor shows all of a block: others it keeps as they are. */
export function isKnown(one) {
  const kind = kindOf(one);
  if (!Object.hasOwn(KINDS, kind) || !attributesOf(one)) return isForm(one);
  if (KINDS[kind][1]) return typeof one.parts[0] === "string";
  return !childrenOf(one).length && (WITHOUT_TEXT.includes(kind) || isForm(one) || slotsOf(one).length > 0);
}

/** Return whether a block may be in another one, or in the page itself. */
export function accepts(holder, one) {
  const held = KINDS[kindOf(holder)]?.[1];
  return held === "any" ? !INNER.includes(kindOf(one)) : held === kindOf(one);
}

/** Return what is added to a block that holds blocks of one name only. */
export const adding = (holder) => /** @type {Record<string, () => string>} */ ({ "list-item": listItem, list: () => list([""]), button, image: noPicture, column })[KINDS[kindOf(holder)]?.[1]];

/** What is added anywhere: names and markup. @type {[string, () => string][]} */
export const ADDED = [
  ["Paragraph", () => paragraph("")], ["Heading", () => heading("")], ["List", () => list([""])], ["Picture", noPicture], ["Gallery", gallery], ["Button", () => block("buttons", `<div class="wp-block-buttons">${button()}</div>`)],
  ["Columns", () => columns(paragraph(""), paragraph(""))], ["Quote", () => quote(paragraph(""))], ["Group", () => plainGroup(paragraph(""))], ["Cover", () => hero(heading(""), paragraph(""))],
  ["Details", () => details("", "")], ["Separator", separator], ["HTML", () => block("html", "")],
];

/** Whole groups of blocks to insert, with the words of a language; `form` is the place of a form. @returns {[string, string][]} */
export function patterns(words, form) {
  const about = ([title, text]) => [heading(title, 3), paragraph(text)];
  const steps = join([heading(words.how), columns(...[words.enter, words.share, words.win].map((step) => join(about(step))))]);
  const top = hero(heading(words.hero[0]), paragraph(words.hero[1]), buttons([words.join, "#form"]));
  const plan = ([name, price, ...points]) => join([heading(name, 3), paragraph(`<strong>${price}</strong>`), list(points), buttons([words.choose, "#form"])]);
  return [
    ["Hero", top],
    ["Three columns", steps],
    ["Giveaway", join([top, steps, group("form", heading(words.form), form), paragraph(words.rules)])],
    ["Questions and answers", join([heading(words.faq), ...words.answers.map(([question, answer]) => details(question, answer))])],
    ["Testimonial", quote(`${paragraph(words.said[0])}<cite>${words.said[1]}</cite>`)],
    ["Prices", join([heading(words.prices), columns(...words.plans.map(plan))])],
    ["Announcement", plainGroup(heading(words.news[0]), paragraph(words.news[1]), buttons([words.more, "#"]))],
  ];
}

/** The colors that pages have, by their names in classes: their names for people, and what they look like. */
export const COLORS = [
  ["", "None"], ["accent", "Accent"], ["black", "Black", "#000"], ["cyan-bluish-gray", "Gray", "#abb8c3"], ["white", "White", "#fff"], ["pale-pink", "Pink", "#f78da7"],
  ["vivid-red", "Red", "#cf2e2e"], ["luminous-vivid-orange", "Orange", "#ff6900"], ["luminous-vivid-amber", "Amber", "#fcb900"], ["light-green-cyan", "Light green", "#7bdcb5"],
  ["vivid-green-cyan", "Green", "#00d084"], ["pale-cyan-blue", "Light blue", "#8ed1fc"], ["vivid-cyan-blue", "Blue", "#0693e3"], ["vivid-purple", "Purple", "#9b51e0"],
];
const COLOR_CLASS = /(?:^|\s)has-[\w-]*(?:color|background|gradient)(?=\s|$)/g;
const COLOR_STYLE = /^\s*(?:background(?:-color)?|color)\s*:/i;
const isCover = (one) => kindOf(one) === "cover";

export function colorOf(one) {
  const { overlayColor, customOverlayColor, backgroundColor, style } = attributesOf(one);
  return overlayColor || customOverlayColor || backgroundColor || style?.color?.background || "";
}

export const shadeOf = (one) => (isKnown(one) && COLORS.find(([name]) => name && name === colorOf(one))?.[2]) || "";

/** Return a group or cover with a color of its background, on which texts have the color that pages give them. */
export function withColor(one, color) {
  const html = one.parts[0];
  const [tag] = (isCover(one) ? /<span\b[^>]*wp-block-cover__background[^>]*>/ : /<\w[^>]*>/).exec(html) || [];
  if (!tag) return one;
  const classes = [attribute(tag, "class").replace(COLOR_CLASS, "").trim(), ...(color ? [`has-${color}-background-color`, !isCover(one) && "has-background"] : [])].filter(Boolean).join(" ");
  const style = attribute(tag, "style").split(";").filter((part) => part.trim() && !COLOR_STYLE.test(part)).join(";");
  const painted = withPart(one, 0, html.replace(tag, () => withAttribute(withAttribute(tag, "class", classes || null), "style", style || null)));
  const { color: _, ...styles } = attributesOf(one).style || {};
  return withAttributes(painted, {
    [isCover(one) ? "overlayColor" : "backgroundColor"]: color || undefined, textColor: undefined, customOverlayColor: undefined, gradient: undefined,
    style: Object.keys(styles).length ? styles : undefined,
  });
}

export const levelOf = (one) => +attributesOf(one).level || 2;
export const withLevel = (one, level) => withAttributes({ ...one, parts: one.parts.map((text) => text.replace(/(<\/?h)[1-6]\b/gi, `$1${level}`)) }, { level: level === 2 ? undefined : level });

/** Return columns in another number; what was in those that go is in the last one. */
export function withColumns(one, count) {
  const present = childrenOf(one);
  const missing = blocksOf(join(Array.from({ length: Math.max(0, count - present.length) }, () => column())));
  const kept = insert(one, one.id, present.length, missing);
  return present.slice(count).reduce((all, gone) => insert(remove(all, gone.id), present[count - 1].id, Infinity, childrenOf(gone)), kept);
}

/** Return a block with another picture in a tag, without what belonged to the former one. @param {any} picture */
export function withPicture(one, slot, picture) {
  const { address, alt, width = null, height = null } = picture;
  const values = { src: address, width, height, srcset: null, sizes: null, class: attribute(tagOf(one, slot), "class").replace(/\bwp-image-\d+/, "").trim() || null, ...(alt ? { alt } : {}) };
  const changed = withTag(one, slot, Object.entries(values).reduce((tag, [name, value]) => withAttribute(tag, name, value), tagOf(one, slot)));
  const about = Object.keys(attributesOf(one)).filter((name) => ["url", "id", "mediaId", "mediaLink", "mediaUrl"].includes(name));
  return about.length ? withAttributes(changed, Object.fromEntries(about.map((name) => [name, /url/i.test(name) ? address : undefined]))) : changed;
}

/** Return a cover with a place for a picture. */
export const withPlace = (one) => withAttributes(withPart(one, 0, one.parts[0].replace(/>/, '><img class="wp-block-cover__image-background" alt="" data-object-fit="cover"/>').replace("has-background-dim-100", "has-background-dim-60")), { dimRatio: 60 });

const ELEMENT = /<!--[^]*?-->|<(p|h[1-6]|[uo]l|blockquote|hr|table|figure|pre|div|dl|details|section|article|aside|header|footer|nav|form|fieldset|address|iframe|script|style|video|audio|object|svg)\b[^>]*>/gi;
const MADE = { p: ["paragraph"], ul: ["list"], ol: ["list", { ordered: true }], blockquote: ["quote"], hr: ["separator"], pre: ["preformatted"], details: ["details"] };
const COMMENTS = /^(?:\s*<!--[^]*?-->)+\s*$/;
const bare = (html) => html.replace(/<!-- \/?wp:.*? -->|<\/?p>|<br\s*\/?>|\s/gi, "");

/** Return classic HTML as blocks, or null where visitors would see another page. */
export function split(text) {
  const blocks = [];
  const source = text.replace(/\r\n?/g, "\n");
  let isWhole = true;
  // Text beside elements: paragraphs with blank lines between.
  const take = (run) => {
    for (const part of run.split(/\n\s*\n/).map((one) => one.trim()).filter(Boolean)) {
      isWhole &&= isBalanced(part);
      blocks.push(COMMENTS.test(part) ? block("html", part) : paragraph(withLines(part)));
    }
  };
  let end = 0;
  for (const { 0: opening, 1: tag, index } of source.matchAll(ELEMENT)) {
    if (index < end || !tag) continue;
    take(source.slice(end, index));
    const name = tag.toLowerCase();
    end = name === "hr" ? index + opening.length : endOf(source, name, index + opening.length);
    if (end < 0) return null;
    const html = source.slice(index, end);
    const isHeading = /^h\d$/.test(name);
    const [kind, attributes] = isHeading ? ["heading", name === "h2" ? undefined : { level: +name[1] }] : MADE[name] || ["html"];
    // A line within the text of an element would no longer begin a new one.
    if (!["p", "pre", "script", "style"].includes(name) && /[^\s>][ \t]*\n\s*[^\s<]/.test(html)) return null;
    blocks.push(block(kind, name === "p" ? withLines(html.replace(/^(<[^>]*>)\s+|\s+(?=<\/p\s*>$)/gi, "$1")) : html, attributes));
  }
  take(source.slice(end));
  const made = join(blocks);
  return isWhole && bare(made) === bare(text) ? made : null;
}

/** Return the place after the end of an element, or -1. */
function endOf(text, name, from) {
  let depth = 1;
  for (const { 0: tag, 1: slash, index } of text.slice(from).matchAll(new RegExp(`<(/?)${name}\\b[^>]*>`, "gi"))) {
    depth += slash ? -1 : 1;
    if (!depth) return from + index + tag.length;
  }
  return -1;
}

const withLines = (html) => html.replace(/<br\s*\/?>\s*\n|<[^>]*>|[ \t]*\n/gi, (found) => (found.trim() ? found : "<br>\n"));

/** Return whether each tag of a text is closed in it, and no other. */
function isBalanced(text) {
  let depth = 0;
  for (const [, slash] of text.matchAll(/<(\/?)(?!(?:br|img|wbr|input)\b)[a-z]/gi)) {
    depth += slash ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
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
