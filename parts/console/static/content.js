// What writes a page: what a new one begins with, and its content, as blocks or as code.
import { go, html, useEffect, useLoad, useRef, useState } from "./lib.js";
import { create, hasPart, list as listOf, may } from "./api.js";
import { buttons, columns, cover, formMarker, group, heading, join, list, paragraph, shown, withBreaks } from "./blocks.js";
import { find, isBlock, parse, write } from "./grammar.js";
import { titleOf } from "./pages.js";
import { Choice, Loaded, LongText, Problem, say, useAction } from "./ui.js";

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

/** The content of a page: as blocks, or as code, where a content that is no tree of blocks opens. */
export function Content({ value, change, language, formId, leadTo, ...attributes }) {
  const broken = parse(value).problem;
  const [asCode, setAsCode] = useState(Boolean(broken));
  // The places that are selected in the code.
  const [place, setPlace] = useState(null);
  const root = useRef();
  const kept = useRef(null);
  const module = useLoad(() => import("./editor.js"));
  const isCode = asCode || broken;
  useEffect(() => {
    if (isCode) leadTo.current = null;
    if (!isCode || !place) return;
    const area = root.current.querySelector("textarea");
    const [start, end] = place.map((at) => shown(value.slice(0, at)).length);
    area.focus();
    area.setSelectionRange(start, end);
    // Browsers bring the cursor into view when the field gets the focus.
    area.blur();
    area.focus();
  }, [isCode, place]);
  /** Open the code, with a block of a tree selected. */
  const toCode = (block, tree) => {
    const before = block && write(until(tree, block.id));
    setPlace(block ? [before.length, before.length + write(block).length] : null);
    setAsCode(true);
  };
  if (!isCode) {
    return html`<div class="field"><p class="label">${attributes.label}</p>
      ${attributes.error?.params?.content && html`<p class="field-error">${attributes.error.params.content}</p>`}
      <${Loaded} state=${module}>${({ Blocks }) => html`<${Blocks} ...${{ value, change, kept, language, formId, toCode, leadTo }} />`}<//></div>`;
  }
  const tools = html`<div class="actions"><button type="button" aria-disabled=${Boolean(broken) || undefined} onClick=${() => broken || setAsCode(false)}>Edit as blocks</button></div>
    <div role="status">${broken && html`<p class="field-error">${broken.message} <button type="button" onClick=${() => setPlace([broken.at, broken.end])}>Show it</button></p>`}</div>`;
  return html`<div ref=${root}><${LongText} tools=${tools} hint="HTML, text, or the markup of blocks" ...${attributes} value=${shown(value)} change=${(text) => { setAsCode(true); change(withBreaks(value, text)); }} rows="20" class="code" spellcheck="true" /></div>`;
}

/** Return a tree with only what stands before a block. */
function until(tree, id) {
  const place = tree.parts.findIndex((part) => isBlock(part) && find(part, id));
  const part = tree.parts[place];
  return { ...tree, close: "", parts: [...tree.parts.slice(0, place), ...(part.id === id ? [] : [until(part, id)])] };
}
