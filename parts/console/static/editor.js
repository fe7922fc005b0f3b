// The blocks of a content, edited in place: each is shown as what it is, with its tools once it is selected.
import { html, useEffect, useLayoutEffect, useLoad, useRef, useState } from "./lib.js";
import { additions, hasPart, list as listOf } from "./api.js";
import { ADDED, COLORS, KINDS, accepts, adding, colorOf, shadeOf, formMarker, isForm, isKnown, levelOf, paragraph, patterns, shown, split, withBreaks, withColor, withColumns, withLevel, withPicture, withPlace } from "./blocks.js";
import { all, attribute, blocksOf, childrenOf, find, insert, isBlock, kindOf, move, parse, remove, replace, slotsOf, tagOf, textOf, withAttribute, withTag, withText, write } from "./grammar.js";
import { titleOf } from "./pages.js";
import { ADDRESS, RichText, isActive, lengthOf, linkAt, parsed, setLink, toggle } from "./richtext.js";
import { Choice, Dialog, LongText, Text } from "./ui.js";
import { wordsOf } from "./words.js";

const MOST_STEPS = 20;
// What is typed into one field without such a pause is one step.
const PAUSE_MILLISECONDS = 1000;
const TEXT_BLOCKS = ["paragraph", "heading", "list-item"];
const LABELS = { summary: "Question", figcaption: "Caption", cite: "Source", li: "Item", td: "Cell", th: "Heading of a column" };
// Browsers show no others here.
const isShown = (address) => /^(?:https:\/\/|\/)/i.test(address) || address.startsWith(`${location.origin}/`);

/** The tree of a content, which `edit(change, key)` changes, with undo. `kept` is a ref that outlives the editor. */
function useTree(value, change, kept) {
  const now = (kept.current ||= { tree: parse(value).tree, text: value, sent: [], past: [], future: [], key: "", time: 0 });
  const remember = (key) => {
    if (!key || key !== now.key || Date.now() - now.time > PAUSE_MILLISECONDS) now.past = [...now.past, now.tree].slice(-MOST_STEPS);
    Object.assign(now, { future: [], key, time: Date.now() });
  };
  const set = (tree) => {
    now.tree = tree;
    now.sent.push((now.text = write(tree)));
    change(now.text);
  };
  // While somebody types fast, the value is one of those before.
  if (value === now.text) now.sent = [];
  else if (!now.sent.includes(value)) {
    // It was edited as code, or another version was chosen.
    remember("");
    Object.assign(now, { tree: parse(value).tree, text: value });
  }
  const go = (from, to) => {
    if (!from.length) return;
    to.push(now.tree);
    now.key = "";
    set(from.pop());
  };
  return {
    now,
    edit: (make, key = "") => {
      const tree = make(now.tree);
      if (tree === now.tree) return;
      remember(key);
      set(tree);
    },
    undo: () => go(now.past, now.future), redo: () => go(now.future, now.past),
  };
}

const labelOf = (block) => (isForm(block) ? "Form" : KINDS[kindOf(block)]?.[0] || block.name);
const placeOf = (parent, block) => childrenOf(parent).indexOf(block);

/** Return a tree with a block one place up or down, or out of the block that it is the first or last of. */
function stepped(tree, id, by) {
  const { block, parent } = find(tree, id);
  const next = placeOf(parent, block) + by;
  if (next >= 0 && next < childrenOf(parent).length) return move(tree, id, parent.id, by < 0 ? next : next + 1);
  let [inner, holder] = [parent, find(tree, parent.id).parent];
  while (holder && !accepts(holder, block)) [inner, holder] = [holder, find(tree, holder.id).parent];
  return holder ? move(tree, id, holder.id, placeOf(holder, inner) + (by > 0 ? 1 : 0)) : tree;
}

/** Return the block before this one, or the last one in it, if this one may be moved into it. */
const holderBefore = (parent, block) => {
  const before = childrenOf(parent)[placeOf(parent, block) - 1];
  return before && isKnown(before) && [before, childrenOf(before).at(-1)].find((one) => one && isKnown(one) && accepts(one, block));
};

/** Get the size of a picture; none of one that does not load in time. */
const sizeOf = (address) => new Promise((done) => {
  const image = new Image();
  setTimeout(done, 3000, {});
  image.onerror = () => done({});
  image.onload = () => done({ width: String(image.naturalWidth), height: String(image.naturalHeight) });
  image.src = address;
});

export function Blocks({ value, change, kept, language, formId, toCode, leadTo }) {
  const root = useRef();
  const { now, edit, undo, redo } = useTree(value, change, kept);
  const { tree } = now;
  const [selected, select] = useState(0);
  const [asked, ask] = useState(null);
  const [said, tell] = useState("");
  const dragged = useRef(0);
  // Tools come and go with the selection: not between the press and the release of a button, which would no longer be below the pointer.
  const pressed = useRef({ isDown: false, id: 0 });
  const choose = (id) => (pressed.current.isDown ? (pressed.current.id = id) : select(id));
  useEffect(() => {
    const release = () => setTimeout(() => {
      if (pressed.current.id) select(pressed.current.id);
      pressed.current = { isDown: false, id: 0 };
    });
    const names = ["pointerup", "pointercancel"];
    names.forEach((name) => addEventListener(name, release));
    return () => names.forEach((name) => removeEventListener(name, release));
  }, []);
  // The block that gets the focus once it is there, and the place of the cursor in its text.
  const wanted = useRef(null);
  const element = (id) => root.current.querySelector(`[data-block="${id}"]`);
  useEffect(() => {
    const { id, slot = 0, at = 0 } = wanted.current || {};
    const block = id && element(id);
    if (!block) return;
    wanted.current = null;
    const field = slot < 0 ? null : root.current.querySelector(`[data-slot="${id} ${slot}"] :is(.rich, input, button, textarea)`) || block.querySelector("textarea");
    if (field?.putCursor) field.putCursor(at);
    else (field || block.querySelector(".handle")).focus();
  });
  const hadFocus = root.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // An undo has removed the block with the focus.
    if (hadFocus && document.activeElement === document.body) root.current.querySelector("button").focus();
  });
  const focus = (id, slot, at) => (wanted.current = { id, slot, at });
  const moveBy = (id, by) => {
    const next = stepped(tree, id, by);
    edit(() => next);
    tell(next === tree ? "It cannot be moved further." : `${labelOf(find(tree, id).block)} moved ${by < 0 ? "up" : "down"}.`);
    focus(id, -1);
  };
  const drop = (id) => {
    const blocks = all(tree).map(({ block }) => block);
    const place = blocks.findIndex((block) => block.id === id);
    edit((before) => remove(before, id));
    tell(`${labelOf(blocks[place])} removed. Ctrl+Z brings it back.`);
    const next = blocks.slice(place + 1).find((block) => !find(blocks[place], block.id)) || blocks[place - 1];
    if (next === tree) root.current.querySelector(".add").focus();
    else focus(next.id, -1);
  };
  /** Insert blocks, and lead to the first one that has a text or a picture. */
  const put = (parent, place, markup) => {
    const added = blocksOf(markup);
    edit((before) => insert(before, parent, place, added));
    const first = added.flatMap((block) => all(block)).find(({ block }) => slotsOf(block).length)?.block || added[0];
    focus(first.id);
    ask(null);
  };
  const add = (parent, place) => {
    const only = adding(parent);
    if (only) put(parent.id, place, only());
    else ask({ title: "Add a block", parent: parent.id, place });
  };
  leadTo.current = (text, number) => {
    const [blocks, inner] = [all(tree).map(({ block }) => block), (source) => parsed(source.replace(/<[^>]*>/g, "")).textContent.replace(/\s+/g, " ").trim()];
    const texts = blocks.flatMap((block) => (isKnown(block) ? slotsOf(block).map((slot, place) => ({ block, place, text: slot.tag === "img" ? attribute(tagOf(block, slot), "src") : inner(textOf(block, slot)) })) : []));
    const found = texts.filter((one) => one.text === text)[number] || texts.find((one) => one.text === text);
    const block = found?.block || childrenOf(tree).find((one) => inner(write(one)).includes(text));
    if (!block) return;
    select(block.id);
    element(block.id).scrollIntoView({ block: "center" });
    focus(block.id, found?.place);
  };
  /** Ask for the address of the words that are selected. */
  const askLink = () => (linkAt() === null ? tell("Select the words of the link first.") : ask({ title: "Link", address: linkAt() }));
  const form = /\sid="form"/.test(value) ? "#form" : formId ? `#form_${formId}` : "";
  const editor = { tree, edit, selected, select: choose, focus, moveBy, drop, put, add, askLink, tell, dragged, form, toCode };
  const keyDown = (event) => {
    const id = +event.target.closest("[data-block]")?.dataset.block;
    const key = event.key.toLowerCase();
    const isControl = (event.ctrlKey || event.metaKey) && !event.altKey;
    const act = isControl && key === "z" ? (event.shiftKey ? redo : undo) : isControl && key === "y" ? redo
      : event.altKey && id && ["arrowup", "arrowdown"].includes(key) ? () => moveBy(id, key === "arrowup" ? -1 : 1) : null;
    if (!act) return;
    event.preventDefault();
    act();
  };
  return html`<div class="blocks" ref=${root} onKeyDown=${keyDown} onPointerDown=${() => (pressed.current.isDown = true)}>
    <div class="actions" role="group" aria-label="Changes of the content"><button type="button" aria-disabled=${!now.past.length || undefined} onClick=${undo}>Undo</button>
      <button type="button" aria-disabled=${!now.future.length || undefined} onClick=${redo}>Redo</button>
      <button type="button" onClick=${() => toCode()}>Edit as code</button></div>
    <p class="hint" role="status">${said}</p>
    ${childrenOf(tree).map((block) => html`<${Block} key=${block.id} ...${{ block, parent: tree, editor }} />`)}
    <button type="button" class="add" onClick=${() => add(tree, Infinity)}>Add a block</button>
    ${asked?.title === "Add a block" && html`<${Added} ...${{ language, close: () => ask(null), done: (markup) => put(asked.parent, asked.place, markup) }} />`}
    ${asked?.title === "Link" && html`<${Link} ...${{ address: asked.address, form, close: () => ask(null) }} />`}
  </div>`;
}

/** The choice of what is added. */
function Added({ language, close, done }) {
  const place = hasPart("leads") ? formMarker() : paragraph("");
  /** @type {[string, () => string][]} */
  const blocks = hasPart("leads") ? [...ADDED, ["Form", formMarker]] : ADDED;
  return html`<${Dialog} title="Add a block" close=${close}>
    <div class="actions">${blocks.map(([name, markup]) => html`<button type="button" onClick=${() => done(markup())}>${name}</button>`)}</div>
    <h3>Finished groups of blocks</h3>
    <div class="actions" role="group" aria-label="Finished groups of blocks">${patterns(wordsOf(language), place).map(([name, markup]) => html`<button type="button" onClick=${() => done(markup)}>${name}</button>`)}</div>
    <p class="actions"><button type="button" onClick=${close}>Cancel</button></p>
  <//>`;
}

/** The choice of an address: one of a page, of the form of this page, or another. What is no address is not taken over. */
function Target({ label, value, change, form }) {
  const { data } = useLoad(() => listOf("/pages", { context: "edit", status: "publish", orderby: "modified", per_page: 100, _fields: "id,title.raw,link" }));
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useLayoutEffect(() => {
    if (value !== sent.current) setText((sent.current = value));
  }, [value]);
  const options = [["", "An address"], ...(form ? [[form, "The form of this page"]] : []), ...(data?.items || []).map((page) => [page.link.replace(`${location.origin}/`, "/"), titleOf(page)])];
  const isListed = options.some(([address]) => address && address === value);
  const isWrong = text !== "" && !ADDRESS.test(text);
  const type = (typed) => {
    setText(typed);
    if (!typed || ADDRESS.test(typed)) change((sent.current = typed.trim()));
  };
  return html`<${Choice} label=${label} name="target" value=${isListed ? value : ""} options=${options} change=${type} />
    ${!isListed && html`<${Text} label="Address" name="address" value=${text} change=${type} error=${isWrong ? { params: { address: "An address begins with https://, mailto:, tel:, / or #." } } : null} />`}`;
}

/** The address of a link. */
function Link({ address: before, form, close }) {
  const [address, setAddress] = useState(before);
  const set = (next) => {
    close();
    // The dialog gives the focus back when it has closed.
    setTimeout(() => setLink(next));
  };
  return html`<${Dialog} title="Link" close=${close}>
    <${Target} label="Leads to" value=${address} change=${setAddress} form=${form} />
    <div class="actions"><button type="button" class="main" disabled=${!address} onClick=${() => set(address)}>Set the link</button>
      ${before && html`<button type="button" onClick=${() => set("")}>Remove the link</button>`}<button type="button" onClick=${close}>Cancel</button></div>
  <//>`;
}

/** A block with what is in it. */
function Block({ block, parent, editor }) {
  const { tree, edit, selected, select, dragged, tell } = editor;
  const { id } = block;
  const label = labelOf(block);
  const isSelected = selected === id;
  const mayDrop = () => {
    const { block: one } = find(tree, dragged.current) || {};
    return one && !find(one, id) && (accepts(parent, one) || (!childrenOf(block).length && isKnown(block) && accepts(block, one)));
  };
  const over = (event) => {
    if (!mayDrop()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const dropped = (event) => {
    if (!mayDrop()) return;
    over(event);
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const { block: one } = find(tree, dragged.current);
    const isWithin = !accepts(parent, one) || (!childrenOf(block).length && accepts(block, one));
    edit((before) => (isWithin ? move(before, one.id, id, 0) : move(before, one.id, parent.id, placeOf(parent, block) + (event.clientY > top + height / 2 ? 1 : 0))));
    tell(`${labelOf(one)} moved.`);
    dragged.current = 0;
  };
  const drag = (event) => {
    dragged.current = id;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", label);
    event.stopPropagation();
  };
  return html`<div class="block ${kindOf(block) || "html"}" data-block=${id} role="group" aria-label=${label} onDragOver=${over} onDrop=${dropped} style=${{ borderLeftColor: shadeOf(block) }}
    onfocusin=${(event) => { event.stopPropagation(); select(id); }}>
    <div class="actions"><span class="handle" role="button" tabindex="0" draggable="true" aria-label="${label}: drag, or press Alt and an arrow key" onClick=${(event) => event.currentTarget.focus()} onDragStart=${drag}>⠿ ${label}</span>
      ${isSelected && html`<${Tools} ...${{ block, parent, editor }} />`}</div>
    <${Body} ...${{ block, parent, editor, isSelected }} />
  </div>`;
}

/** What can be done with the selected block. */
function Tools({ block, parent, editor: { tree, edit, moveBy, drop, add, put, askLink, tell, toCode, focus } }) {
  const kind = kindOf(block);
  const set = (make, key) => edit((before) => replace(before, block.id, make), key);
  const button = (name, act, more) => html`<button type="button" ...${more} onClick=${act}>${name}</button>`;
  // The text keeps the focus and its selection.
  const mark = (name, act, key) => button(name, () => (isActive(block) ? act() : tell("Select words first.")), { title: `Ctrl+${key.toUpperCase()}`, "aria-keyshortcuts": `Control+${key}`, onMouseDown: (event) => event.preventDefault() });
  const place = placeOf(parent, block);
  const holder = holderBefore(parent, block);
  const hasTexts = isKnown(block) && slotsOf(block).some(({ tag }) => tag !== "img");
  return html`${hasTexts && html`${mark("Bold", () => toggle("strong"), "b")}${mark("Italic", () => toggle("em"), "i")}
      ${mark("Link", askLink, "k")}`}
    ${button("↑", () => moveBy(block.id, -1), { "aria-label": `Up: ${labelOf(block)}` })}${button("↓", () => moveBy(block.id, 1), { "aria-label": `Down: ${labelOf(block)}` })}
    ${holder && button(`Into: ${labelOf(holder)}`, () => { edit((before) => move(before, block.id, holder.id, Infinity)); focus(block.id, -1); })}
    ${kind !== "column" && button("Add below", () => add(parent, place + 1))}
    ${button("Duplicate", () => put(parent.id, place + 1, write(block)))}${button("Remove", () => drop(block.id))}${button("Code", () => toCode(block, tree))}
    ${isKnown(block) && kind === "heading" && html`<${Choice} label="Level" name="level" value=${levelOf(block)} options=${[1, 2, 3, 4, 5, 6]} change=${(level) => set((one) => withLevel(one, +level))} />`}
    ${isKnown(block) && kind === "columns" && html`<${Choice} label="Columns" name="columns" value=${childrenOf(block).length} options=${[2, 3, 4]} change=${(count) => set((one) => withColumns(one, +count))} />`}
    ${isKnown(block) && ["group", "cover"].includes(kind) && html`<${Choice} label="Color" name="color" value=${colorOf(block)} options=${COLORS} change=${(color) => set((one) => withColor(one, color))} />`}
    ${isKnown(block) && kind === "cover" && !slotsOf(block).length && button("Add a picture", () => set(withPlace))}`;
}

/** The texts, pictures and blocks in a block, in their order. */
function Body({ block, parent, editor, isSelected }) {
  const { edit, toCode, tree, add, form } = editor;
  const kind = kindOf(block);
  const set = (make, key) => edit((before) => replace(before, block.id, make), key);
  if (isForm(block)) return html`<p class="hint">The form that you choose for this page is shown here.</p>`;
  if (!isKnown(block)) return html`<p>${block.name.includes("/") ? block.name : `core/${block.name}`}: <button type="button" onClick=${() => toCode(block, tree)}>edit as code</button></p>`;
  if (["html", ""].includes(kind)) {
    const source = block.parts.join("");
    const parts = kind ? null : split(source);
    return html`<${LongText} label="HTML" name="html" class="code" rows=${Math.min(20, source.split("\n").length + 1)} value=${shown(source)} change=${(text) => set((one) => ({ ...one, parts: [withBreaks(source, text)] }), String(block.id))} />
      ${!kind && (parts ? html`<button type="button" onClick=${() => edit((before) => remove(insert(before, parent.id, placeOf(parent, block) + 1, blocksOf(parts)), block.id))}>Split into blocks</button>`
        : html`<p class="hint">This cannot be split into blocks without a change of what visitors see.</p>`)}`;
  }
  if (kind === "separator") return html`<hr />`;
  const slots = slotsOf(block);
  const cells = slots.filter(({ tag }) => ["td", "th"].includes(tag));
  const width = kind === "table" ? Math.max(1, block.parts.join("").split(/<\/tr/i)[0].split(/<t[dh]\b/i).length - 1) : 0;
  const slot = (one, place) => html`<div key=${place} data-slot="${block.id} ${place}">${one.tag === "img" ? html`<${Picture} ...${{ block, slot: one, isSelected, set: (make, key) => set((now) => make(now, slotsOf(now)[place]), `${block.id} ${key}`) }} />`
    : html`<${RichText} source=${textOf(block, one)} label=${LABELS[one.tag] || labelOf(block)} ...${typing(block, parent, place, editor)} />`}</div>`;
  return html`${block.parts.map((part, number) => (isBlock(part) ? html`<${Block} key=${part.id} ...${{ block: part, parent: block, editor }} />`
    : slots.map((one, place) => one.part === number && !cells.includes(one) && slot(one, place))))}
    ${cells.length > 0 && html`<div class="cells" style=${{ gridTemplateColumns: `repeat(${width}, minmax(0, 1fr))` }}>${cells.map((one) => slot(one, slots.indexOf(one)))}</div>`}
    ${kind === "button" && isSelected && html`<${Target} label="Leads to" value=${attribute(tagOf(block, slots[0]), "href")} form=${form}
      change=${(address) => set((one) => withTag(one, slotsOf(one)[0], withAttribute(tagOf(one, slotsOf(one)[0]), "href", address || null)), `${block.id} href`)} />`}
    ${KINDS[kind][1] && !["columns", "list-item"].includes(kind) && (isSelected || !childrenOf(block).length) && html`<button type="button" onClick=${() => add(block, Infinity)}>Add to: ${labelOf(block)}</button>`}`;
}

/** What typing into a text of a block does. */
function typing(block, parent, slot, { edit, focus, askLink, tree }) {
  const { id } = block;
  const kind = kindOf(block);
  const place = placeOf(parent, block);
  const withSlot = (one, text) => withText(one, slotsOf(one)[slot], text);
  const { tag } = slotsOf(block)[slot];
  return {
    change: (text) => edit((before) => replace(before, id, (one) => withSlot(one, text)), `${id} ${slot}`),
    link: askLink,
    enter: (before, after) => {
      if (tag === "li" && kind === "list") {
        edit((all) => replace(all, id, (one) => withSlot(one, `${before}</li>\n<li>${after}`)));
        return focus(id, slot + 1);
      }
      if (!TEXT_BLOCKS.includes(kind)) return ["a", "summary"].includes(tag);
      const isLast = kind === "list-item" && !before && !after && !childrenOf(block).length;
      const [next] = blocksOf(kind === "heading" || isLast ? paragraph(after) : write({ ...withSlot(block, after), parts: withSlot(block, after).parts.filter((part) => !isBlock(part)) }));
      const outer = find(tree, parent.id).parent;
      // An empty item ends its list.
      edit((all) => (isLast && accepts(outer, next) ? remove(insert(all, outer.id, placeOf(outer, parent) + 1, [next]), id) : insert(replace(all, id, (one) => withSlot(one, before)), parent.id, place + 1, [next])));
      return focus(next.id, 0);
    },
    backspace: (text) => {
      const before = childrenOf(parent)[place - 1];
      const isJoined = before && [block, before].every((one) => TEXT_BLOCKS.includes(kindOf(one)) && isKnown(one) && !isForm(one)) && !childrenOf(block).length;
      if (!isJoined) return false;
      const [own] = slotsOf(before);
      focus(before.id, 0, lengthOf(textOf(before, own)));
      edit((all) => remove(replace(all, before.id, (one) => withText(one, own, textOf(before, own) + text)), id));
      return true;
    },
    paste: (markup) => {
      const added = parse(markup).tree?.parts.filter(isBlock);
      let [inner, holder] = [block, parent];
      while (added && !added.every((one) => accepts(holder, one))) [inner, holder] = [holder, find(tree, holder.id).parent];
      if (!added) return;
      const isEmpty = inner === block && !textOf(block, slotsOf(block)[slot]);
      edit((all) => (isEmpty ? (one) => remove(one, id) : (one) => one)(insert(all, holder.id, placeOf(holder, inner) + 1, added)));
      focus(added.at(-1).id, 0, Infinity);
    },
  };
}

/** A picture with its address, or the choice of one, and what it shows. */
function Picture({ block, slot, isSelected, set }) {
  const [address, alt] = ["src", "alt"].map((name) => attribute(tagOf(block, slot), name));
  const choose = async () => {
    const { source_url: address, alt_text: alt, width, height } = (await additions.choosePicture()) || {};
    if (address) set((one, own) => withPicture(one, own, { address: address.replace(`${location.origin}/`, "/"), alt, width: String(width), height: String(height) }));
  };
  const measure = async () => {
    const size = isShown(address) ? await sizeOf(address) : {};
    if (size.width) set((one, own) => (attribute(tagOf(one, own), "src") === address ? withPicture(one, own, { address, ...size }) : one), "src");
  };
  return html`<div class="picture">${isShown(address) && html`<img src=${address} alt="" />`}
    ${(isSelected || !address) && html`<${Text} label="Address of the picture" name="src" value=${address} change=${(text) => set((one, own) => withPicture(one, own, { address: text.trim() }), "src")} onBlur=${measure} />
      <${Text} label="What it shows, for those who do not see it" name="alt" value=${alt} change=${(text) => set((one, own) => withTag(one, own, withAttribute(tagOf(one, own), "alt", text)), "alt")} />
      ${additions.choosePicture && html`<button type="button" onClick=${choose}>Choose from the library</button>`}`}</div>`;
}
