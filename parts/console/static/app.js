// The frame of the console: the dialog to sign in, the navigation, and the screen of the address. And the start
// screen: numbers of pages, coming changes, and failures.
import { Link, address, askBeforeLeaving, html, instead, mayLeave, render, useEffect, useLoad, useState } from "./lib.js";
import { additions, caller, get, hasPart, list, local, localBound, may, openTab, question, signIn, signOut, title, use } from "./api.js";
import { dropAll, hasDrafts } from "./document.js";
import { EventList, Webhook, WebhookList, stateOf } from "./events.js";
import { Feed, Plan } from "./feed.js";
import { FeedList, RunList, useNames } from "./feeds.js";
import { Page } from "./page.js";
import { PageList, Revisions, counts, titleOf } from "./pages.js";
import { Check, Dialog, Loaded, Notice, Problem, Screen, Text, displayTime } from "./ui.js";

const ROWS = 5;
// The longest list of the API.
const MAX_PER_PAGE = 100;
// The period of coming changes.
const DAYS = 30;

const Card = ({ title, state, children }) => html`<section class="card"><h2>${title}</h2><${Loaded} state=${state}>${children}<//></section>`;

/** A part of the screen that loads its own data. */
const Part = ({ load, ...card }) => html`<${Card} ...${card} state=${useLoad(load)} />`;

const inDays = (days) => new Date(Date.now() + days * 86400000);

const pageRow = (page, text) => html`<li><${Link} path="pages/${page.id}">${titleOf(page)}<//> <span class="hint">${text}</span></li>`;

const listPages = (query) => list("/pages", { context: "edit", _fields: "id,title.raw,date,meta.starts_at,meta.ends_at", ...query });

/** Get the published pages whose window opens or closes next. */
async function windowPages() {
  for (let days = DAYS; ; days /= 4) {
    const { items, total } = await listPages({ status: "publish", window_changes_before: inDays(days).toISOString(), per_page: MAX_PER_PAGE });
    // A list that is cut may lack the next pages: use a shorter period.
    if (total <= MAX_PER_PAGE || days < 0.01) return items;
  }
}

/** Get the next pages that are published, start or end, from the statuses that any page has. */
async function comingPages({ future, publish }) {
  const [scheduled, windows] = await Promise.all([
    future ? listPages({ status: "future", orderby: "date", order: "asc", per_page: ROWS }).then(({ items }) => items) : [], publish ? windowPages() : [],
  ]);
  const [now, end] = [local(new Date()), local(inDays(DAYS))];
  const bounds = windows.flatMap((page) => [["starts", page.meta.starts_at], ["ends", page.meta.ends_at]]
    .map(([verb, text]) => ({ page, verb, text, time: localBound(verb, text.trim()) })));
  return [...scheduled.map((page) => ({ page, verb: "is published", text: page.date, time: page.date })), ...bounds.filter(({ time }) => time > now && time < end)]
    .sort((a, b) => (a.time < b.time ? -1 : 1)).slice(0, 2 * ROWS);
}

/** Get the number of pages of each status, the next changes of pages, and whether there are no pages or no feeds yet. */
async function loadPages() {
  const [statuses, feeds] = await Promise.all([counts(), may("feeds:read") ? list("/feeds", { _fields: "id" }) : { items: [1] }]);
  const isMissing = !feeds.items.length || statuses.every(([status, , count]) => status === "trash" || !count);
  return { statuses, isMissing, changes: await comingPages(Object.fromEntries(statuses.map(([status, , count]) => [status, count]))) };
}

function FirstSteps() {
  return html`<section class="card"><h2>What to do first</h2><ol>
    ${hasPart("leads") && may("forms:write") && html`<li><${Link} path="forms/new">Make a form<//>: visitors fill it in on your pages.</li>`}
    ${may("pages:write") && html`<li><${Link} path="pages/new">Write a page<//>, and publish it: visitors find it at the address of its slug.</li>`}
    ${may("feeds:write") && html`<li><${Link} path="feeds/new">Add a feed<//>: it says what happens with the submissions of a form.</li>`}
    <li>Create a key for those who call the API: <code>landform key create</code>.${signIn === "local" && " The first one ends local mode."}</li>
  </ol></section>`;
}

function Failed({ items, total }) {
  const names = useNames(items);
  if (!total) return html`<p class="empty">No run has failed.</p>`;
  return html`<ul class="plain">${items.map((run) => html`<li><${Link} path="runs" query=${{ entry_id: run.entry_id, state: "all" }}>${names.entry(run)}<//>, ${names.feed(run.feed_id)} <span class="hint">${run.code} ${run.message}</span></li>`)}</ul>
    <p><${Link} path="runs">${total === 1 ? "The failed run" : `All ${total.toLocaleString("en")} failed runs`}<//></p>`;
}

function Start() {
  const state = useLoad(async () => (may("pages:read") ? loadPages() : {}));
  return html`<${Screen} title="Start">
    <div class="cards">
      ${state.data?.isMissing && html`<${FirstSteps} />`}
      ${additions.RecentLeads && html`<${additions.RecentLeads} />`}
      ${may("pages:read") && html`<${Card} title="Pages" state=${state}>${({ statuses }) => html`<ul class="plain">${statuses.map(([status, name, count]) =>
        html`<li><${Link} path="pages" query=${{ status }}>${name}<//>: ${count.toLocaleString("en")}</li>`)}</ul>`}<//>
      <${Card} title="What comes next" state=${state}>${({ changes }) => (changes.length
        ? html`<ul class="plain">${changes.map(({ page, verb, text }) => pageRow(page, `${verb} ${displayTime(text)}`))}</ul>`
        : html`<p class="empty">No page is scheduled, and none starts or ends within ${DAYS} days.</p>`)}<//>`}
      ${hasPart("runs") && may("feeds:read") && html`<${Part} title="Failed runs" load=${() => list("/runs", { state: "failed", per_page: ROWS })}>${(failed) => html`<${Failed} ...${failed} />`}<//>`}
      ${hasPart("webhooks") && may("webhooks:write") && html`<${Part} title="Webhooks that need a look" load=${async () => (await get("/webhooks")).data.filter(({ active, failures, set_aside }) => !active || failures || set_aside.length)}>${(webhooks) => (webhooks.length
        ? html`<ul class="plain">${webhooks.map((webhook) => html`<li><${Link} path="webhooks/${webhook.id}">${webhook.url}<//> <span class="hint">${stateOf(webhook)}</span></li>`)}</ul>`
        : html`<p class="empty">None is off, and none fails.</p>`)}<//>`}
    </div>
  <//>`;
}

// The entries of the navigation: address, name, and the scope that they need.
const PLACES = [
  ["", "Start"],
  ["pages", "Pages", "pages:read"],
  ["media", "Pictures", "media:read"],
  ["forms", "Forms", "forms:read"],
  ["entries", "Entries", "entries:read"],
  ["feeds", "Feeds", "feeds:read"],
  ["runs", "Runs", "feeds:read"],
  ["webhooks", "Webhooks", "webhooks:write"],
  ["events", "Events", "events:read"],
];
// The parts that places need. Without its part a place is not offered.
const OF_PARTS = { forms: "leads", entries: "leads", media: "media", runs: "runs", webhooks: "webhooks" };
const isThere = (place) => !Object.hasOwn(OF_PARTS, place) || hasPart(OF_PARTS[place]);
// The screens by the first part of an address: the list, and a single item.
const SCREENS = {
  "": [Start], pages: [PageList, Page], feeds: [FeedList, Feed], plan: [Plan, Plan],
  runs: [RunList], webhooks: [WebhookList, Webhook], events: [EventList],
};
// A part brings modules of its own.
for (const brought of await Promise.all([hasPart("leads") && import("./leads.js"), hasPart("media") && import("./library.js")])) {
  Object.assign(SCREENS, brought && brought.screens);
  Object.assign(additions, brought && brought.additions);
}

/** Sign out, which deletes the drafts. */
function leave() {
  if (!mayLeave(hasDrafts)) return;
  askBeforeLeaving(null);
  dropAll();
  signOut();
}

function Navigation({ place }) {
  const identity = caller.get();
  return html`<header class="top">
    <a class="skip" href="#main" onClick=${instead(() => document.querySelector("h1")?.focus())}>Skip to the content</a>
    <strong class="site">${title}</strong>
    <nav aria-label="Console">${PLACES.filter(([path, , scope]) => isThere(path) && (!scope || may(scope))).map(([path, name]) =>
      html`<${Link} path=${path} aria-current=${path === place ? "page" : undefined}>${name}<//>`)}</nav>
    <span class="caller">${identity.name}${signIn === "credentials" && html` <button class="plain" onClick=${leave}>Sign out</button>`}</span>
  </header>`;
}

function NotFound() {
  return html`<${Screen} title="Not found"><p>There is no such screen. <${Link} path="">Go to the start<//></p><//>`;
}

function Frame() {
  const { path: [place = "", id, part], query } = address.use();
  const screens = Object.hasOwn(SCREENS, place) && isThere(place) ? SCREENS[place] : [];
  const Open = place === "pages" && part === "revisions" ? Revisions : (id ? screens[1] : screens[0]) || NotFound;
  return html`<${Navigation} place=${place} /><main id="main"><${Notice} />
    <${Open} key=${`${place}/${id || ""}/${part || ""}`} id=${id} query=${query} /></main>`;
}

function App() {
  const isSigningIn = question.use();
  caller.use();
  const state = useLoad(async () => caller.set((await get("/whoami")).data));
  useEffect(() => {
    // Another user may have signed in, with other scopes.
    if (!isSigningIn && caller.get()) state.reload();
  }, [isSigningIn]);
  return html`${caller.get() ? html`<${Frame} />` : html`<main id="main"><h1>${title}</h1>${!isSigningIn && html`<${Loaded} state=${state}>${() => null}<//>`}</main>`}<${SignIn} />`;
}

/** Open a link in a new tab that is signed in. If that is refused, the browser opens it, and the tab asks to sign in. */
function openLink(event) {
  const link = event.target.closest('a[href^="#/"]');
  const isNewTab = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey || event.shiftKey));
  if (link && isNewTab && openTab(link.href)) event.preventDefault();
}
if (signIn === "credentials") for (const type of ["click", "auxclick"]) addEventListener(type, openLink);

render(html`<${App} />`, document.getElementById("app"));

function SignIn() {
  const dialog = question.use();
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const [keep, setKeep] = useState(false);
  if (!dialog) return null;
  const send = instead(() => {
    use(name.trim(), secret, keep);
    setSecret("");
  });
  if (signIn === "session") {
    return html`<${Dialog} title="Sign in again">
      <${Problem} error=${dialog.error} />
      <p>Sign in to the application in another tab, then go on here. Nothing that you have typed is lost.</p>
      <div class="actions"><button class="main" onClick=${() => use("", "", false)}>Go on</button></div>
    <//>`;
  }
  return html`<${Dialog} title="Sign in">
    <form onSubmit=${send}>
      <${Problem} error=${dialog.error} />
      <${Text} label="Name" name="name" value=${name} change=${setName} hint="The name of a credential. Leave it empty for a key." autocomplete="username" />
      <${Text} label="Secret or key" name="secret" type="password" value=${secret} change=${setSecret} autocomplete="current-password" autofocus=${Boolean(dialog.error || name)} required />
      <${Check} label="Keep me signed in until this tab is closed" value=${keep} change=${setKeep} />
      <div class="actions"><button class="main">Sign in</button></div>
    </form>
  <//>`;
}
