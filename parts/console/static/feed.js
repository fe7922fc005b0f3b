// The editor of one feed.
import { html, useLoad } from "./lib.js";
import { call, create, get } from "./api.js";
import { Link, go } from "./address.js";
import { Bar } from "./bar.js";
import { Conditions, LOGIC, SWITCH, described, isShowable } from "./conditions.js";
import { Conflict } from "./conflict.js";
import { isObject, same, useDocument, withChanges } from "./document.js";
import { formName } from "./feeds.js";
import { additions, hasPart, may } from "./session.js";
import { Check, Json, Loaded, Screen, Text, Values, sayDone } from "./ui.js";

const LABELS = { form_id: "Form", addon_slug: "Add-on", event_type: "Event type", feed_order: "Order", is_active: "Active", "meta.feedName": "Name", [`meta.${SWITCH}`]: "Conditional logic", [`meta.${LOGIC}`]: "Rules" };
const SHOWN_FIELDS = ["fieldId", "form_id", "addon_slug", "event_type", "feed_order", "meta"];

/** Return the values of the fields of a feed. */
const valuesOf = (feed) => ({
  form_id: feed.form_id, addon_slug: feed.addon_slug, event_type: feed.event_type ?? "", feed_order: feed.feed_order,
  is_active: feed.is_active === "1", meta: isObject(feed.meta) ? feed.meta : {},
});

const number = (text) => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text);

/** Return the body of a write from the values of the fields. */
const bodyOf = ({ form_id, addon_slug, event_type, feed_order, is_active, meta }, isNew) => ({
  form_id: number(form_id), addon_slug: addon_slug.trim(), is_active, meta, feed_order: number(feed_order || "0"),
  ...(isNew ? {} : { event_type: event_type || null }),
});

/** Return the JSON Merge Patch between two metas; throws for a new null, which a patch cannot write. */
function patchOf(before, after) {
  const patch = Object.fromEntries(Object.keys(before).filter((key) => !(key in after)).map((key) => [key, null]));
  for (const [key, value] of Object.entries(after)) {
    if (key in before && same(before[key], value)) continue;
    if (value === null) throw new TypeError(key);
    patch[key] = isObject(value) ? patchOf(isObject(before[key]) ? before[key] : {}, value) : value;
  }
  return patch;
}

/** Write the changes only: JavaScript cannot represent all other values exactly, such as long numbers. */
async function write(id, before, values, etag) {
  const [old, body] = [bodyOf(before), bodyOf(values)];
  const changed = Object.fromEntries(Object.entries(body).filter(([name, value]) => !same(value, old[name])));
  let method = "PATCH";
  try {
    if (changed.meta) changed.meta = patchOf(before.meta, values.meta);
  } catch {
    method = "PUT";
  }
  if (!Object.keys(changed).length) return { etag };
  const { headers } = await call(method, `/feeds/${id}`, { body: method === "PUT" ? body : changed, headers: { "If-Match": etag } });
  return { etag: headers.get("ETag"), warning: headers.get("X-Landform-Warning") };
}

const loadFeed = async (id) => {
  const { data, headers } = await get(`/feeds/${id}`);
  return { values: valuesOf(data), etag: headers.get("ETag") };
};

export function Feed({ id, query }) {
  const isNew = id === "new";
  const state = useLoad(async () => {
    if (isNew) return { values: valuesOf({ form_id: query.form_id || "", addon_slug: "", feed_order: "", is_active: "1", meta: { feedName: "" } }), etag: "" };
    return loadFeed(id);
  }, [id]);
  return html`<${Screen} title=${isNew ? "New feed" : `Feed ${id}`} actions=${!isNew && hasPart("runs") && html`<${Link} class="button" path="runs" query=${{ feed_id: id, state: "all" }}>Its runs<//>`}>
    <${Loaded} state=${state}>${(loaded) => html`<${Editor} key=${loaded.etag} ...${{ id, isNew, loaded }} draftName=${isNew ? `feed/new/${query.form_id || ""}` : `feed/${id}`} />`}<//>
  <//>`;
}

function Editor({ id, isNew, loaded, draftName }) {
  const mayWrite = may("feeds:write");
  const edited = useDocument({
    stored: loaded, draft: mayWrite ? draftName : "", load: () => loadFeed(id),
    send: async (values, changes, stored, close) => {
      if (changes[`meta.${LOGIC}`]?.conditionalLogic?.rules?.some?.(({ fieldId }) => !String(fieldId ?? "").trim())) throw { message: "Nothing was saved: a rule has no field.", params: { fieldId: "A rule needs a field." } };
      if (!isNew) return { values, ...(await write(id, stored.values, values, stored.etag)) };
      const { data, headers } = await create("/feeds", bodyOf(values, true));
      close();
      go(`feeds/${data.id}`, {}, { replace: true });
      sayDone(`Feed ${data.id} was added.`, headers.get("X-Landform-Warning"));
      return null;
    },
  });
  const { values, stored, error, conflict } = edited;
  const set = (changes) => edited.replace((before) => ({ ...before, ...changes }));
  const setMeta = (changes) => edited.replace((before) => withChanges(before, Object.fromEntries(Object.entries(changes).map(([key, value]) => [`meta.${key}`, value]))));
  const asFields = isShowable(values.meta);
  const { FormField = Text, AddonField = Text, settingsOf = () => [], AddonSettings } = additions;
  const settings = settingsOf(values);
  const fieldKeys = ["feedName", ...(asFields ? [SWITCH, LOGIC] : []), ...settings.map(([key]) => key)];
  const metaOf = (hasField) => Object.fromEntries(Object.entries(values.meta).filter(([key]) => fieldKeys.includes(key) === hasField));
  const setOthers = (others) => {
    if (!isObject(others)) throw new TypeError("Settings are an object: { … }");
    set({ meta: { ...metaOf(true), ...others } });
  };
  return html`<p class="actions"><${Link} path="feeds" query=${{ form_id: stored.values.form_id }}>All feeds of this form<//> <${Link} path="plan" query=${{ form_id: stored.values.form_id }}>Try an entry<//></p>
  <${Bar} document=${edited} state=${isNew ? "New" : stored.values.is_active ? "On" : "Off"} fields=${SHOWN_FIELDS} label=${isNew ? "Add the feed" : "Save"} disabled=${!mayWrite} />
  ${mayWrite ? html`<form key=${edited.discards} onSubmit=${(event) => { event.preventDefault(); edited.save(); }}>
    ${conflict && html`<${Conflict} document=${edited} what="feed" names=${LABELS} />`}
    <${Text} label="Name" name="feedName" value=${values.meta.feedName} change=${(feedName) => setMeta({ feedName })} />
    <div class="filters">
      <${FormField} label="Form" name="form_id" none="All forms" inputmode="numeric" required error=${error} value=${values.form_id} change=${(form_id) => set({ form_id })} hint="Its number; 0 is for all forms." />
      <${AddonField} label="Add-on" name="addon_slug" required error=${error} value=${values.addon_slug} change=${(addon_slug) => set({ addon_slug })} hint="The integration that runs it." />
      <${Text} label="Order" name="feed_order" inputmode="numeric" error=${error} value=${values.feed_order} change=${(feed_order) => set({ feed_order })} hint="Its place among the feeds of the form." />
      ${!isNew && html`<${Text} label="Event type" name="event_type" error=${error} value=${values.event_type} change=${(event_type) => set({ event_type })} hint="Empty for most feeds." />`}
    </div>
    <${Check} label="Active" value=${values.is_active} change=${(is_active) => set({ is_active })} />
    ${settings.length > 0 && html`<div class="pairs"><${AddonSettings} values=${values} change=${setMeta} /></div>`}
    ${asFields ? html`<${Conditions} meta=${values.meta} change=${setMeta} error=${error} />` : html`<p class="hint">The conditional logic of this feed has a form that no fields can show. It is among the settings.</p>`}
    <details open=${!settings.length || Object.keys(metaOf(false)).length > 0}><summary>More settings</summary>
      <${Json} label="Settings as JSON" name="meta" error=${error} value=${metaOf(false)} change=${setOthers} onProblem=${edited.onProblem("meta")} rows=${8} hint="What the add-on needs beside the fields above." /></details>
  </form>` : html`<${Values} pairs=${[
    ["Name", String(values.meta.feedName ?? "")], ["Form", formName(values.form_id)], ["Add-on", values.addon_slug], ["Order", values.feed_order], ["Event type", values.event_type],
    ...settings.map(([key, label]) => [label, values.meta[key]]), ["Runs for", asFields && described(values.meta)],
    ["Other settings", Object.keys(metaOf(false)).length > 0 && html`<pre>${JSON.stringify(metaOf(false), null, 2)}</pre>`]]} />`}`;
}
