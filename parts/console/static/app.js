// The frame of the console: the caller, the navigation, and the screen of the address.
import { html, render, useEffect, useLoad } from "./lib.js";
import { get, title } from "./api.js";
import { Link, address, askBeforeLeaving, mayLeave } from "./address.js";
import { dropAll, hasDrafts } from "./drafts.js";
import { EventList } from "./events.js";
import { Feed } from "./feed.js";
import { FeedList } from "./feeds.js";
import { Page } from "./page.js";
import { PageList } from "./pages.js";
import { Plan } from "./planning.js";
import { Revisions } from "./revisions.js";
import { RunList } from "./runs.js";
import { additions, caller, hasPart, may, question, signIn, signOut } from "./session.js";
import { SignIn } from "./sign_in.js";
import { Start } from "./start.js";
import { Loaded, Notice, Screen } from "./ui.js";
import { Webhook, WebhookList } from "./webhooks.js";

// The entries of the navigation: address, name, and the scope that they need.
const PLACES = [
  ["", "Start"],
  ["pages", "Pages", "pages:read"],
  ["forms", "Forms", "forms:read"],
  ["entries", "Entries", "entries:read"],
  ["feeds", "Feeds", "feeds:read"],
  ["runs", "Runs", "feeds:read"],
  ["webhooks", "Webhooks", "webhooks:write"],
  ["events", "Events", "events:read"],
];
// The parts that places need. Without its part a place is not offered.
const OF_PARTS = { forms: "leads", entries: "leads", runs: "runs", webhooks: "webhooks" };
const isThere = (place) => !Object.hasOwn(OF_PARTS, place) || hasPart(OF_PARTS[place]);
// The screens by the first part of an address: the list, and a single item.
const SCREENS = {
  "": [Start], pages: [PageList, Page], feeds: [FeedList, Feed], plan: [Plan, Plan],
  runs: [RunList], webhooks: [WebhookList, Webhook], events: [EventList],
};
// A part brings modules of its own.
if (hasPart("leads")) {
  const leads = await import("./leads.js");
  Object.assign(SCREENS, leads.screens);
  Object.assign(additions, leads.additions);
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
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.querySelector("h1")?.focus(); }}>Skip to the content</a>
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

render(html`<${App} />`, document.getElementById("app"));
