// One feed: what it is for, when it runs, and its settings.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { call, create, get } from "./api.js";
import { Link, go } from "./address.js";
import { Conditions, LOGIC, SWITCH, isObject, isShowable } from "./conditions.js";
import { dropDraft, keepDraft, readDraft } from "./drafts.js";
import { hasPart, may } from "./session.js";
import { Check, Json, Loaded, Problem, Screen, Text, say, useAction } from "./ui.js";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const LABELS = { form_id: "Form", addon_slug: "Add-on", event_type: "Event type", feed_order: "Order", is_active: "Active", feedName: "Name", [SWITCH]: "Conditional logic", [LOGIC]: "Rules" };
const KNOWN = ["form_id", "addon_slug", "event_type", "feed_order", "meta"];

/** Return a feed as it is read, in strings, as its fields hold it. */
const valuesOf = (feed) => ({
  form_id: feed.form_id, addon_slug: feed.addon_slug, event_type: feed.event_type ?? "", feed_order: feed.feed_order,
  is_active: feed.is_active === "1", meta: isObject(feed.meta) ? feed.meta : {},
});

const number = (text) => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text);

/** Return the fields in integers and booleans, as they are written. */
const bodyOf = ({ form_id, addon_slug, event_type, feed_order, is_active, meta }, isNew) => ({
  form_id: number(form_id), addon_slug: addon_slug.trim(), is_active, meta, feed_order: number(feed_order || "0"),
  ...(isNew ? {} : { event_type: event_type || null }),
});

/** Return the JSON Merge Patch between two metas; throws where there is none, since it cannot write null. */
function patchOf(before, after) {
  const patch = Object.fromEntries(Object.keys(before).filter((key) => !(key in after)).map((key) => [key, null]));
  for (const [key, value] of Object.entries(after)) {
    if (key in before && same(before[key], value)) continue;
    if (value === null) throw new TypeError(key);
    patch[key] = isObject(value) ? patchOf(isObject(before[key]) ? before[key] : {}, value) : value;
  }
  return patch;
}

/** Write what differs from `before`: what the browser cannot hold exactly, such as long numbers, stays as it is. */
async function write(id, before, values, etag) {
  const [old, body] = [bodyOf(before), bodyOf(values)];
  const changed = Object.fromEntries(Object.entries(body).filter(([name, value]) => !same(value, old[name])));
  let method = "PATCH";
  try {
    if (changed.meta) changed.meta = patchOf(before.meta, values.meta);
  } catch {
    method = "PUT";
  }
  if (!Object.keys(changed).length) return etag;
  const { headers } = await call(method, `/feeds/${id}`, { body: method === "PUT" ? body : changed, headers: { "If-Match": etag } });
  return headers.get("ETag");
}

export function Feed({ id, query }) {
  const isNew = id === "new";
  const state = useLoad(async () => {
    if (isNew) return { values: valuesOf({ form_id: query.form_id || "", addon_slug: "", feed_order: "", is_active: "1", meta: { feedName: "" } }), etag: "" };
    const { data, headers } = await get(`/feeds/${id}`);
    return { values: valuesOf(data), etag: headers.get("ETag") };
  }, [id]);
  return html`<${Screen} title=${isNew ? "New feed" : `Feed ${id}`} actions=${!isNew && hasPart("runs") && html`<${Link} class="button" path="runs" query=${{ feed_id: id, state: "all" }}>Its runs<//>`}>
    <${Loaded} state=${state}>${(read) => html`<${Editor} key=${read.etag} ...${{ id, isNew, read }} draftName=${isNew ? `feed/new/${query.form_id || ""}` : `feed/${id}`} />`}<//>
  <//>`;
}

function Editor({ id, isNew, read, draftName }) {
  const [draft] = useState(() => readDraft(draftName));
  // What the values began as; what was typed before a reload began as something older, perhaps.
  const [stored, setStored] = useState(draft ? { values: draft.values.base, etag: draft.etag } : read);
  const [values, setValues] = useState(draft?.values.values || read.values);
  // What somebody else has stored since then, or null.
  const [other, setOther] = useState(draft && draft.etag !== read.etag ? read : null);
  const [jsonProblem, setJsonProblem] = useState("");
  const isChanged = !same(values, stored.values);
  const mayWrite = may("feeds:write");
  useEffect(() => {
    if (!mayWrite) return;
    if (isChanged) keepDraft(draftName, { values: { values, base: stored.values }, etag: stored.etag });
    else dropDraft(draftName);
  }, [values, stored]);
  const set = (changes) => setValues((before) => ({ ...before, ...changes }));
  const setMeta = (changes) => setValues((before) => ({ ...before, meta: { ...before.meta, ...changes } }));

  const [save, isSaving, error] = useAction(async () => {
    if (isNew) {
      const { data } = await create("/feeds", bodyOf(values, true));
      dropDraft(draftName);
      say(`Feed ${data.id} was added.`);
      go(`feeds/${data.id}`, {}, { replace: true });
      return;
    }
    try {
      const etag = await write(id, stored.values, values, stored.etag);
      setStored({ values, etag });
      dropDraft(draftName);
      say("Saved.");
    } catch (failure) {
      if (failure.status !== 412) throw failure;
      const { data, headers } = await get(`/feeds/${id}`);
      setOther({ values: valuesOf(data), etag: headers.get("ETag") });
    }
  });
  const settle = (kept) => {
    setStored(other);
    setValues(kept);
    setOther(null);
    say(kept === other.values ? "This is what is stored now." : "What you have changed is kept here. Save to store it.");
    document.querySelector("h1").focus();
  };
  const asFields = isShowable(values.meta);
  const known = asFields ? ["feedName", SWITCH, LOGIC] : ["feedName"];
  const part = (isKnown) => Object.fromEntries(Object.entries(values.meta).filter(([key]) => known.includes(key) === isKnown));
  const setRest = (rest) => {
    if (!isObject(rest)) throw new TypeError("Settings are an object: { … }");
    set({ meta: { ...part(true), ...rest } });
  };
  return html`<p class="actions"><${Link} path="feeds" query=${{ form_id: stored.values.form_id }}>All feeds of this form<//> <${Link} path="plan" query=${{ form_id: stored.values.form_id }}>Try an entry<//></p>
  <form onSubmit=${(event) => { event.preventDefault(); save(); }}>
    <${Problem} error=${error} shown=${KNOWN} />
    ${other && html`<${Versions} yours=${merged(stored.values, values, other.values)} theirs=${other.values} settle=${settle} />`}
    ${draft && !other && isChanged && html`<p class="hint">This is what you have typed before, which is not saved yet. <button type="button" class="plain" onClick=${() => setValues(stored.values)}>Discard it</button></p>`}
    <fieldset class="bare" disabled=${!mayWrite}>
      <${Text} label="Name" name="feedName" value=${values.meta.feedName} change=${(feedName) => setMeta({ feedName })} />
      <div class="filters">
        <${Text} label="Form" name="form_id" inputmode="numeric" required error=${error} value=${values.form_id} change=${(form_id) => set({ form_id })} hint="Its number; 0 is for all forms." />
        <${Text} label="Add-on" name="addon_slug" required error=${error} value=${values.addon_slug} change=${(addon_slug) => set({ addon_slug })} hint="The integration that runs it." />
        <${Text} label="Order" name="feed_order" inputmode="numeric" error=${error} value=${values.feed_order} change=${(feed_order) => set({ feed_order })} hint="Its place among the feeds of the form." />
        ${!isNew && html`<${Text} label="Event type" name="event_type" error=${error} value=${values.event_type} change=${(event_type) => set({ event_type })} hint="Empty for most feeds." />`}
      </div>
      <${Check} label="Active" value=${values.is_active} change=${(is_active) => set({ is_active })} />
      ${asFields ? html`<${Conditions} meta=${values.meta} change=${setMeta} />` : html`<p class="hint">The conditional logic of this feed has a form that no fields can show. It is among the settings.</p>`}
      <${Json} label="Settings as JSON" name="meta" error=${error} value=${part(false)} change=${setRest} onProblem=${setJsonProblem} rows=${8} hint="What the add-on needs; the name and the conditional logic stand above." />
    </fieldset>
    ${mayWrite && html`<div class="actions"><button class="main" aria-disabled=${isSaving || undefined} disabled=${Boolean(jsonProblem || other)}>${isNew ? "Add the feed" : "Save"}</button>
      ${isChanged && html`<span class="hint">Not saved yet</span>`}</div>`}
  </form>`;
}

/** Return what is stored now with what differs between the values and what they began as. */
function merged(base, values, theirs) {
  const pick = (before, yours, now) => Object.fromEntries(Object.keys({ ...now, ...yours }).flatMap((name) => {
    const from = same(before[name], yours[name]) ? now : yours;
    return name in from ? [[name, from[name]]] : [];
  }));
  return { ...pick(base, values, theirs), meta: pick(base.meta, values.meta, theirs.meta) };
}

/** What there is to compare of a feed: its fields, and each key of its settings. */
const partsOf = ({ meta, is_active, ...values }) => ({ ...values, is_active: is_active ? "on" : "off", ...meta });

/** Both versions of a feed, where they differ, and the choice between them. */
function Versions({ yours, theirs, settle }) {
  const [one, other] = [partsOf(yours), partsOf(theirs)];
  const names = Object.keys({ ...one, ...other }).filter((name) => !same(one[name], other[name]));
  const text = (value) => (value === undefined || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value, null, 1));
  const card = (title, parts, label, kept) => html`<div class="card"><h2>${title}</h2>
    <dl>${names.map((name) => html`<dt>${LABELS[name] || name}</dt><dd><pre>${text(parts[name])}</pre></dd>`)}</dl>
    <button type="button" onClick=${() => settle(kept)}>${label}</button></div>`;
  return html`<section class="problem" role="alert"><p>Somebody else has saved this feed since you opened it. Nothing was overwritten. Yours has what you have changed, over what is stored now:</p>
    <div class="versions">${card("Yours", one, "Go on with yours", yours)}${card("Stored now", other, "Take what is stored", theirs)}</div></section>`;
}
