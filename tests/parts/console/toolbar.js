// Random contents of blocks, HTML and text, random cursors and selections. Returns what is wrong.
const [names, done] = arguments;
let seed = 7;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
const any = (list) => list[random(list.length)];
const block = (name, inner) => `<!-- wp:${name} -->\n${inner}\n<!-- /wp:${name} -->`;
const leaf = () => any([
  block("paragraph", "<p>A <b>word</b> &amp; more</p>"), block("heading", "<h2>Ä title</h2>"),
  block("list", `<ul>${block("list-item", "<li>one</li>")}</ul>`), "<!-- wp:separator /-->",
  '<!-- wp:image {"id":3,"a":"-->"} -->\n<img src="a.jpg" alt="x > y"/>\n<!-- /wp:image -->',
]);
const column = (inner) => block("column", `<div>${inner}</div>`);
const holder = () => any([
  block("group", `<div>${leaf()}\n${leaf()}</div>`),
  block("columns", `<div>${column(leaf())}${column("")}</div>`),
]);
const text = () => any([
  "Plain words.", "Two\nlines, no tag", "", "  ", "<p>HTML</p>", "<!-- wp:unclosed -->", "𝄞 <b>",
  '<a\nhref="x"\ntitle="y">link</a>', "<p>one <b>two</b> and <i>three</i></p>",
]);
const part = () => any([leaf, holder, text])();
const content = () => Array.from({ length: random(5) }, part).join(any(["\n\n", "\n", ""]));
const area = document.querySelector("textarea[name=content]");
const all = [...document.querySelectorAll("[role=toolbar] button")];
const buttons = all.filter((one) => names.includes(one.textContent));
const misplaced = ["ul", "div"].flatMap((one) => [`${one} > strong`, `${one} > em`]).join();
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
/** Return whether each tag is closed, the last one first. */
const nests = (html) => {
  const open = [];
  const tags = html.replace(/<!--[^]*?-->/g, "").matchAll(/<(\/?)(\w+)[^>]*>/g);
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
