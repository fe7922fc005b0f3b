// The start: how many pages there are, what comes next, and what has failed.
import { html, useLoad } from "./lib.js";
import { get, list } from "./api.js";
import { Link } from "./address.js";
import { counts, titleOf } from "./pages.js";
import { may } from "./session.js";
import { Loaded, Screen, shownTime } from "./ui.js";
import { stateOf } from "./webhooks.js";

const SOME = 5;
// How far one looks ahead.
const DAYS = 30;

/** A part of the screen, which only those see who may. */
function Part({ title, load, children }) {
  const state = useLoad(load);
  return html`<section class="card"><h2>${title}</h2><${Loaded} state=${state}>${children}<//></section>`;
}

const later = () => new Date(Date.now() + DAYS * 86400000).toISOString();
const pageRow = (page, text) => html`<li><${Link} path="pages/${page.id}">${titleOf(page)}<//> <span class="hint">${text}</span></li>`;

async function comingPages() {
  const query = { context: "edit", per_page: 100, _fields: "id,title.raw,date,meta.starts_at,meta.ends_at" };
  const [scheduled, windows] = await Promise.all([
    list("/pages", { ...query, status: "future", orderby: "date", order: "asc", per_page: SOME }),
    list("/pages", { ...query, status: "publish", window_changes_before: later() }),
  ]);
  const bounds = windows.items.flatMap((page) => [["starts", page.meta.starts_at], ["ends", page.meta.ends_at]].map(([verb, time]) => ({ page, verb, time })));
  const now = new Date(Date.now() - 86400000).toISOString();
  return [...scheduled.items.map((page) => ({ page, verb: "is published", time: page.date })), ...bounds.filter(({ time }) => time > now && time < later())]
    .sort((one, other) => (one.time < other.time ? -1 : 1)).slice(0, 2 * SOME);
}

function FirstSteps() {
  return html`<section class="card"><h2>Three things to do first</h2><ol>
    ${may("pages:write") && html`<li><${Link} path="pages/new">Write a page<//>, and publish it: visitors find it at the address of its slug.</li>`}
    ${may("feeds:write") && html`<li><${Link} path="feeds/new">Add a feed<//>: it says what happens with the submissions of a form.</li>`}
    <li>Create a key for those who call the API: <code>landform key create</code>. The first one ends local mode.</li>
  </ol></section>`;
}

export function Start() {
  const empty = useLoad(async () => {
    const [pages, feeds] = await Promise.all([
      may("pages:read") ? list("/pages", { status: "any", per_page: 1, _fields: "id" }) : { total: 1 },
      may("feeds:read") ? list("/feeds", { _fields: "id" }) : { items: [1] },
    ]);
    return { isEmpty: !pages.total && !feeds.items.length };
  });
  return html`<${Screen} title="Start">
    <div class="cards">
      ${empty.data?.isEmpty && html`<${FirstSteps} />`}
      ${may("pages:read") && html`<${Part} title="Pages" load=${counts}>${(found) => html`<ul class="plain">${found.map(([status, name, count]) =>
        html`<li><${Link} path="pages" query=${{ status }}>${name}<//>: ${count.toLocaleString("en")}</li>`)}</ul>`}<//>
      <${Part} title="What comes next" load=${comingPages}>${(found) => (found.length
        ? html`<ul class="plain">${found.map(({ page, verb, time }) => pageRow(page, `${verb} ${shownTime(time)}`))}</ul>`
        : html`<p class="empty">No page is scheduled, and none starts or ends within ${DAYS} days.</p>`)}<//>`}
      ${may("feeds:read") && html`<${Part} title="Failed runs" load=${() => list("/runs", { state: "failed", per_page: SOME })}>${({ items, total }) => (total
        ? html`<ul class="plain">${items.map((run) => html`<li><${Link} path="runs" query=${{ entry_id: run.entry_id, state: "all" }}>entry ${run.entry_id}<//>, feed ${run.feed_id} <span class="hint">${run.code} ${run.message}</span></li>`)}</ul><p><${Link} path="runs">All ${total.toLocaleString("en")} failed runs<//></p>`
        : html`<p class="empty">No run has failed.</p>`)}<//>`}
      ${may("webhooks:write") && html`<${Part} title="Webhooks that need a look" load=${async () => (await get("/webhooks")).data.filter(({ active, failures, set_aside }) => !active || failures || set_aside.length)}>${(found) => (found.length
        ? html`<ul class="plain">${found.map((one) => html`<li><${Link} path="webhooks/${one.id}">${one.url}<//> <span class="hint">${stateOf(one)}</span></li>`)}</ul>`
        : html`<p class="empty">None is off, and none fails.</p>`)}<//>`}
    </div>
  <//>`;
}
