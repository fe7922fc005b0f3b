// What a new page begins with: nothing, a finished page, or a copy of another page.
import { html, useLoad, useState } from "./lib.js";
import { create, hasPart, list as listOf, may } from "./api.js";
import { go } from "./address.js";
import { buttons, columns, cover, formMarker, group, heading, join, list, paragraph, quote } from "./blocks.js";
import { titleOf } from "./pages.js";
import { Choice, Problem, say, useAction } from "./ui.js";

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
    quote("<p>I never win anything, and then the email came.</p><cite>Last year's winner</cite>"),
    paragraph("Entry is free and open to everyone aged 18 or over. The winner is drawn at random."),
  ])],
  ["Newsletter", "Good ideas, once a month", join([
    paragraph("One short letter on the first Tuesday of each month: what we learned, what worked, and what did not."),
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
    quote("<p>I stopped thinking about light, and that is the best part.</p><cite>A tester</cite>"),
    heading("Questions"),
    about("When is it delivered?", "We send it within three days of your order."),
    group("order", heading("Order yours"), form, paragraph("The first 100 orders come with a spare shade.")),
  ])],
  ["Coming soon", "Something new is coming", join([
    top("#1c2541", "Almost there", "We are putting the finishing touches to it. Leave your address, and you will be the first to know.", "Tell me", "#tell"),
    group("tell", heading("Tell me when it opens"), form, paragraph("We write once, and never pass on your address.")),
    paragraph('Questions? Write to <a href="mailto:hello@example.com">hello@example.com</a>.'),
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
