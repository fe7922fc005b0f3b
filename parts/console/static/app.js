// The frame of the console: the dialog to sign in, the navigation, and the screen of the address.
import { html, instead, render, useEffect, useLoad, useState } from "./lib.js";
import { additions, caller, get, hasPart, may, question, signIn, signOut, title, use } from "./api.js";
import { Link, address, askBeforeLeaving, mayLeave } from "./address.js";
import { dropAll, hasDrafts } from "./document.js";
import { EventList, RunList } from "./events.js";
import { Feed } from "./feed.js";
import { FeedList } from "./feeds.js";
import { Page } from "./page.js";
import { PageList } from "./pages.js";
import { Plan } from "./planning.js";
import { Revisions } from "./versions.js";
import { Start } from "./start.js";
import { Check, Dialog, Loaded, Notice, Problem, Screen, Text } from "./ui.js";
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
