// The editor of one feed, with fields for its conditional logic, which is a part of its meta; and the trial of an entry:
// the feeds of a form that would run for it, and the reasons of the others.
import { Link, html, instead, refine, useEffect, useLoad, useRef, useState } from "./lib.js";
import { additions, call, create, get, hasPart, list, may, post } from "./api.js";
import { Bar, Conflict, isObject, same, useDocument } from "./document.js";
import { Check, Choice, Json, Loaded, Problem, Screen, Table, Text, Values, say, useAction } from "./ui.js";

const SWITCH = "feed_condition_conditional_logic";
const LOGIC = "feed_condition_conditional_logic_object";
const OPERATORS = [
  ["is", "is"], ["isnot", "is not"], [">", "is greater than"], ["<", "is less than"],
  ["contains", "contains"], ["starts_with", "starts with"], ["ends_with", "ends with"],
];

/** Return the name of a form, where 0 means all forms; `titles` has those of the forms that are stored. */
export const formName = (id, titles = {}) => (String(id) === "0" ? "Form 0 (all forms)" : titles[id] || `Form ${id}`);
/** Return the name of a feed. */
export const feedName = (feed) => String(feed.meta?.feedName || `Feed ${feed.id}`);
/** Get the names of feeds by their ids: of some forms, or of all. */
export async function getFeedNames(forms = []) {
  const { items } = await list("/feeds", { form_id: forms, _fields: "id,meta.feedName" });
  return Object.fromEntries(items.map((feed) => [feed.id, feedName(feed)]));
}

/** Return the name of an operator. */
const operatorName = (operator) => OPERATORS.find(([key]) => key === operator)?.[1] || String(operator ?? "");

/** Return whether the rules of a feed are used. */
export const isOn = (meta) => ["1", 1, true].includes(meta?.[SWITCH]);

/** Return whether fields can show the logic in a meta. */
function isShowable(meta) {
  const logic = meta[LOGIC]?.conditionalLogic;
  if (logic == null) return !meta[LOGIC] || isObject(meta[LOGIC]);
  return isObject(logic) && Array.isArray(logic.rules ?? []) && (logic.rules ?? []).every(isObject);
}

/** Return the names of what rules may compare, by their ids, as far as the form is known. */
export const labelsOf = (fields) => Object.fromEntries((fields || []).map(({ id, label }) => [id, label]));

/** Return in words for which entries a feed runs. */
function described(meta, labels) {
  const { logicType, rules = [] } = meta[LOGIC]?.conditionalLogic || {};
  if (!isOn(meta) || !rules.length) return "Every entry";
  return `Entries that match ${logicType === "any" ? "any" : "all"} of: ${rules.map(({ fieldId, operator, value }) => `${labels[fieldId] || fieldId} ${operatorName(operator)} ${value === "" ? "blank" : value}`).join("; ")}`;
}

/** What a rule compares: a field of the form by its label, or else the id of a field or the name of a property. */
function RuleField({ fields, value, change, ...attrs }) {
  const chosen = String(value ?? "");
  const id = chosen.trim();
  if (!fields) return html`<${Text} ...${attrs} value=${chosen} change=${change} />`;
  const isOther = chosen !== "" && !fields.some((field) => field.id === id);
  return html`<div><${Choice} ...${attrs} value=${isOther ? chosen : id} change=${change} options=${[["", "Choose"], ...fields.map((field) => [field.id, field.label]), [isOther ? chosen : " ", "A property"]]} />
    ${isOther && html`<${Text} label="Name of the property" name="otherField" value=${id} change=${(text) => change(text || " ")} />`}
    ${/^\d/.test(id) && isOther && html`<p class="field-error">The form has no field ${id}: the rule compares with a blank.</p>`}</div>`;
}

/** What a rule compares with: one of the choices of a field that has some. */
function RuleValue({ field, operator, ...attrs }) {
  const choices = ["is", "isnot"].includes(operator) ? field?.choices || [] : [];
  return choices.length ? html`<${Choice} ...${attrs} options=${[["", "(blank)"], ...choices]} />` : html`<${Text} ...${attrs} />`;
}

/** The fields of the logic; `fields` are those of the form, `change` gets the changed keys of the meta. */
function Conditions({ meta, fields, change, error }) {
  const group = useRef();
  const nextFocus = useRef(null);
  useEffect(() => {
    // A new rule gets the focus, after a removal the button that adds one.
    if (nextFocus.current !== null) group.current.querySelector(nextFocus.current)?.focus();
    nextFocus.current = null;
  });
  const logic = meta[LOGIC]?.conditionalLogic || {};
  const rules = logic.rules || [];
  const set = (changes) => change({ [LOGIC]: { ...meta[LOGIC], conditionalLogic: { actionType: "show", logicType: "all", ...logic, ...changes } } });
  const setRule = (place, changes) => set({ rules: rules.map((rule, index) => (index === place ? { ...rule, ...changes } : rule)) });
  const add = () => {
    nextFocus.current = `[data-rule="${rules.length}"] :is(input, select)`;
    set({ rules: [...rules, { fieldId: "", operator: "is", value: "" }] });
  };
  const removeRule = (place) => {
    nextFocus.current = ".add";
    set({ rules: rules.filter((_, index) => index !== place) });
  };
  const operators = (current) => [...OPERATORS, ...(OPERATORS.some(([key]) => key === current) ? [] : [[current, current]])];
  return html`<fieldset ref=${group}><legend>Conditional logic</legend>
    <${Check} label="Run only for entries that the rules match" value=${isOn(meta)} change=${(on) => change({ [SWITCH]: on ? "1" : "0" })} />
    ${isOn(meta) && html`<${Choice} label="How many rules have to match" name="logicType" value=${logic.logicType ?? "all"} change=${(logicType) => set({ logicType })}
        options=${[["all", "all of them"], ["any", "any of them"], ...(["all", "any", undefined].includes(logic.logicType) ? [] : [logic.logicType])]} />
      ${rules.map((rule, place) => html`<div class="rule" role="group" aria-label="Rule ${place + 1}" data-rule=${place}>
        <${RuleField} label="Field" name="fieldId" fields=${fields} error=${String(rule.fieldId ?? "").trim() ? null : error} value=${rule.fieldId} change=${(fieldId) => setRule(place, { fieldId })} />
        <${Choice} label="Operator" name="operator" value=${rule.operator ?? ""} change=${(operator) => setRule(place, { operator })} options=${operators(rule.operator ?? "")} />
        <${RuleValue} label="Value" name="value" field=${fields?.find(({ id }) => id === String(rule.fieldId).trim())} operator=${rule.operator} value=${rule.value} change=${(value) => setRule(place, { value })} />
        <button type="button" aria-label="Remove rule ${place + 1}" onClick=${() => removeRule(place)}>Remove</button>
      </div>`)}
      <p class="hint">${fields ? "A property is one of the entry, such as payment_status." : "A field is the id of a field or input of the form, such as 3 or 3.1, or the name of a property, such as payment_status."}${!rules.length && " Without rules the feed runs for every entry."}</p>
      <button type="button" class="add" onClick=${add}>Add a rule</button>`}
  </fieldset>`;
}

const LABELS = { form_id: "Form", addon_slug: "Add-on", event_type: "Event type", feed_order: "Order", is_active: "Active", "meta.feedName": "Name", [`meta.${SWITCH}`]: "Conditional logic", [`meta.${LOGIC}`]: "Rules" };
const SHOWN_FIELDS = ["fieldId", "form_id", "addon_slug", "event_type", "feed_order", "meta"];

/** Return a message of the service with the labels of settings instead of their keys, such as `toEmail`. */
function labelled(message, settings) {
  return message && settings.reduce((text, [key, label]) => text.replace(key, () => `“${label}”`), message);
}

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
  if (!Object.keys(changed).length) return { headers: new Headers({ ETag: etag }) };
  return call(method, `/feeds/${id}`, { body: method === "PUT" ? body : changed, headers: { "If-Match": etag } });
}

const loadFeed = async (id) => {
  const { data, headers } = await get(`/feeds/${id}`);
  return { values: valuesOf(data), etag: headers.get("ETag") };
};

export function Feed({ id, query }) {
  const isNew = id === "new";
  const empty = { form_id: query.form_id || "", addon_slug: "", feed_order: "", is_active: "1", meta: { feedName: "" } };
  const state = useLoad(async () => (isNew ? { values: valuesOf(empty) } : loadFeed(id)), [id]);
  return html`<${Loaded} state=${state} title="Feed ${id}">${(loaded) => html`<${Editor} key=${loaded.etag} ...${{ id, isNew, loaded }} />`}<//>`;
}

function Editor({ id, isNew, loaded }) {
  const mayWrite = may("feeds:write");
  const { FormField = Text, AddonField = Text, settingsOf = () => [], AddonSettings, FeedTest, getRuleFields } = additions;
  const edited = useDocument({
    stored: loaded, draft: mayWrite ? `feed/${id}/${isNew ? loaded.values.form_id : ""}` : "", load: () => loadFeed(id), labels: LABELS,
    send: async (values, changes, stored) => {
      if (changes[`meta.${LOGIC}`]?.conditionalLogic?.rules?.some?.(({ fieldId }) => !String(fieldId ?? "").trim())) throw { message: "Nothing was saved: a rule has no field.", params: { fieldId: "A rule needs a field." } };
      const { data, headers } = await (isNew ? create("/feeds", bodyOf(values, true)) : write(id, stored.values, values, stored.etag));
      const warning = labelled(headers.get("X-Landform-Warning"), settingsOf(values));
      return isNew ? { opens: `feeds/${data.id}`, created: `Feed ${data.id} was added.`, warning } : { values, etag: headers.get("ETag"), warning };
    },
  });
  const { values, stored, error, conflict, field, set } = edited;
  const { data: fields } = useLoad(async () => getRuleFields?.(values.form_id), [values.form_id]);
  const setMeta = (changes) => set(Object.fromEntries(Object.entries(changes).map(([key, value]) => [`meta.${key}`, value])));
  const asFields = isShowable(values.meta);
  const settings = settingsOf(values);
  const fieldKeys = ["feedName", ...(asFields ? [SWITCH, LOGIC] : []), ...settings.map(([key]) => key)];
  const metaOf = (hasField) => Object.fromEntries(Object.entries(values.meta).filter(([key]) => fieldKeys.includes(key) === hasField));
  const setOthers = (others) => {
    if (!isObject(others)) throw new TypeError("Settings are an object: { … }");
    set({ meta: { ...metaOf(true), ...others } });
  };
  return html`<${Screen} title=${isNew ? "New feed" : feedName({ id, ...stored.values })} actions=${!isNew && hasPart("runs") && html`<${Link} class="button" path="runs" query=${{ feed_id: id, state: "all" }}>Its runs<//>`}>
  <p class="actions"><${Link} path="feeds" query=${{ form_id: stored.values.form_id }}>All feeds of this form<//> <${Link} path="plan" query=${{ form_id: stored.values.form_id }}>Try an entry<//></p>
  <${Bar} document=${edited} state=${isNew ? "New" : stored.values.is_active ? "On" : "Off"} fields=${SHOWN_FIELDS} label=${isNew ? "Add the feed" : "Save"} disabled=${!mayWrite} />
  ${mayWrite ? html`<form key=${edited.discards} onSubmit=${instead(edited.save)}>
    ${conflict && html`<${Conflict} document=${edited} what="feed" names=${LABELS} />`}
    <${Text} ...${field("meta.feedName")} />
    <div class="filters">
      <${FormField} ...${field("form_id")} none="All forms" inputmode="numeric" required hint="Its number; 0 is for all forms." />
      <${AddonField} ...${field("addon_slug")} required hint="The integration that runs it." />
      <${Text} ...${field("feed_order")} inputmode="numeric" hint="Its place among the feeds of the form." />
      ${!isNew && html`<${Text} ...${field("event_type")} hint="Empty for most feeds." />`}
    </div>
    <${Check} ...${field("is_active")} />
    ${settings.length > 0 && html`<div class="pairs"><${AddonSettings} values=${values} change=${setMeta} /></div>`}
    ${asFields ? html`<${Conditions} ...${{ fields, error }} meta=${values.meta} change=${setMeta} />` : html`<p class="hint">The conditional logic of this feed has a form that no fields can show. It is among the settings.</p>`}
    <details open=${!settings.length || Object.keys(metaOf(false)).length > 0}><summary>More settings</summary>
      <${Json} ...${field("meta")} label="Settings as JSON" value=${metaOf(false)} change=${setOthers} rows=${8} hint="What the add-on needs beside the fields above." /></details>
  </form>` : html`<${Values} pairs=${[
    ["Name", String(values.meta.feedName ?? "")], ["Form", formName(values.form_id)], ["Add-on", values.addon_slug], ["Order", values.feed_order], ["Event type", values.event_type],
    ...settings.map(([key, label]) => [label, values.meta[key]]), ["Runs for", asFields && described(values.meta, labelsOf(fields))],
    ["Other settings", Object.keys(metaOf(false)).length > 0 && html`<pre>${JSON.stringify(metaOf(false), null, 2)}</pre>`]]} />`}
  ${FeedTest && !isNew && mayWrite && html`<${FeedTest} id=${id} feed=${stored.values} />`}<//>`;
}

const REASONS = {
  inactive: "It is switched off.", addon: "It is of another add-on.", event_type: "It is for another event type.",
  already_run: "It was run for this entry, is claimed now, or waits after a failure.",
  condition: "Its conditional logic is not met.", first_only: "Another feed of its add-on runs.",
};
const EMPTY = { id: "", value: "" };

/** Return the entry in some rows; a field in several rows has a list of values. */
const entryOf = (rows) => rows.filter(({ id }) => id.trim()).reduce((entry, { id, value }) => {
  const key = id.trim();
  return { ...entry, [key]: Object.hasOwn(entry, key) ? [entry[key], value].flat() : value };
}, {});
const texts = (value) => [value].flat().map((item) => (item == null || item === false ? "" : String(item)));
/** Return whether rows can show an entry. */
const isFlat = (entry) => isObject(entry) && Object.values(entry).flat().every((item) => typeof item !== "object" || item === null);
/** Return an entry as rows, with a row for each item of a list. */
const rowsOf = (entry) => Object.entries(entry).flatMap(([id, value]) => texts(value).map((text) => ({ id, value: text })));

export function Plan({ query }) {
  const [rows, setRows] = useState([EMPTY]);
  // The entry as JSON, or null while it is edited in rows.
  const [json, setJson] = useState(null);
  const [properties, setProperties] = useState({});
  const [problem, setProblem] = useState({});
  const [result, setResult] = useState(null);
  const heading = useRef();
  const form = useRef();
  const focusLast = useRef(false);
  useEffect(() => {
    if (focusLast.current) [...form.current.querySelectorAll(".rule")].at(-1)?.querySelector("input").focus();
    focusLast.current = false;
  });
  useEffect(() => result && heading.current?.focus(), [result]);
  const [plan, isRunning, error] = useAction(async () => {
    const { form_id, entry_id, form_0 } = query;
    const body = { entry: json ?? entryOf(rows), properties, explain: true, form_0: Boolean(form_0), ...(entry_id ? { entry_id } : {}) };
    const forms = form_0 ? [form_id, "0"] : [form_id];
    const [{ data }, names, fields] = await Promise.all([post(`/forms/${encodeURIComponent(form_id)}/feeds/plan`, body), getFeedNames(forms), additions.getRuleFields?.(form_id)]);
    setResult({ ...data, names, labels: labelsOf(fields) });
  });
  const setRow = (place, changes) => setRows(rows.map((row, index) => (index === place ? { ...row, ...changes } : row)));
  const add = () => {
    focusLast.current = true;
    setRows([...rows, EMPTY]);
  };
  const removeRow = (place) => {
    focusLast.current = true;
    setRows(rows.length > 1 ? rows.filter((_, index) => index !== place) : [EMPTY]);
  };
  const swap = () => {
    if (json === null) setJson(entryOf(rows));
    else if (!isFlat(json)) say("Fields can show texts, numbers and lists of these only.", "error");
    else {
      setRows([...rowsOf(json), EMPTY]);
      setJson(null);
      setProblem({ ...problem, entry: "" });
    }
  };
  const filter = (name) => (value) => refine({ [name]: value }, { replace: true });
  return html`<${Screen} title="Try an entry" actions=${query.form_id && html`<${Link} class="button" path="feeds" query=${{ form_id: query.form_id }}>Feeds of ${formName(query.form_id).toLowerCase()}<//>`}>
    <p>Which feeds would run for an entry, and why the others would not. Nothing is run, and nothing of the entry is stored.</p>
    <form ref=${form} onSubmit=${instead(plan)}>
      <div class="filters">
        <${Text} label="Form" name="form_id" inputmode="numeric" pattern="[0-9]+" required error=${error} value=${query.form_id} change=${filter("form_id")} />
        ${hasPart("runs") && html`<${Text} label="Id of the entry" name="entry_id" error=${error} value=${query.entry_id} change=${filter("entry_id")} hint="If it is given, feeds that were run for it do not run again." />`}
      </div>
      <${Check} label="With the feeds for all forms (form 0)" value=${query.form_0} change=${(on) => refine({ form_0: on ? "1" : "" }, { replace: true })} />
      <fieldset><legend>Values of the entry</legend>
        ${json === null ? rows.map((row, place) => html`<div class="rule two" role="group" aria-label="Value ${place + 1}">
            <${Text} label="Field" name="id" value=${row.id} change=${(id) => setRow(place, { id })} />
            <${Text} label="Value" name="value" value=${row.value} change=${(value) => setRow(place, { value })} />
            <button type="button" aria-label="Remove value ${place + 1}" onClick=${() => removeRow(place)}>Remove</button></div>`)
          : html`<${Json} label="Entry as JSON" name="entry" error=${error} value=${json} change=${setJson} onProblem=${(entry) => setProblem({ ...problem, entry })} />`}
        <div class="actions">${json === null && html`<button type="button" onClick=${add}>Add a value</button>`}
          <button type="button" class="plain" onClick=${swap}>${json === null ? "Write it as JSON" : "Write it as fields"}</button></div>
        ${json === null && html`<p class="hint">A field is the id of a field or input of the form, such as 3 or 3.1. Write a field twice for a list of values.</p>`}
      </fieldset>
      <details><summary>Properties that rules may name, such as payment_status</summary>
        <${Json} label="Properties as JSON" name="properties" rows=${3} error=${error} value=${properties} change=${setProperties} onProblem=${(text) => setProblem({ ...problem, properties: text })} /></details>
      <${Problem} error=${error} fields=${json === null ? ["entry_id"] : ["entry_id", "entry", "properties"]} />
      <div class="actions"><button class="main" aria-disabled=${isRunning || undefined} disabled=${Boolean(problem.entry || problem.properties)}>Show the plan</button></div>
    </form>
    ${result && !error && html`<section aria-busy=${isRunning}><h2 tabindex="-1" ref=${heading}>${{ 0: "No feed runs", 1: "1 feed runs" }[result.feeds.length] || `${result.feeds.length} feeds run`}</h2><${Result} plan=${result} /></section>`}
  <//>`;
}

/** Why a feed does not run, as a plan explains it; `labels` names what its rules compare. */
export const Reason = ({ feed, labels }) => html`${REASONS[feed.reason] || feed.reason} ${feed.problem || ""}
  ${feed.rules && html`<ul class="compared">${feed.rules.map((rule) => html`<li><strong>${rule.matches ? "Matches" : "Does not match"}:</strong> ${" "}
    ${labels[rule.fieldId] || html`<code>${rule.fieldId}</code>`} ${operatorName(rule.operator)} ${rule.value === "" ? "blank" : html`<q>${rule.value}</q>`}; the entry has ${rule.values.map((value, place) => html`${place ? ", " : ""}${value === "" ? "a blank" : html`<q>${value}</q>`}`)}</li>`)}</ul>`}`;

function Result({ plan }) {
  const link = (feed) => html`<${Link} path="feeds/${feed.id}">${plan.names[feed.id] || `Feed ${feed.id}`}<//>${![undefined, plan.form_id].includes(feed.form_id) && html` <span class="hint">for ${formName(feed.form_id).toLowerCase()}</span>`}`;
  const why = (feed) => html`<${Reason} feed=${feed} labels=${plan.labels} />
    ${feed.reason === "already_run" && hasPart("runs") && html`<${Link} path="runs" query=${{ state: "all", feed_id: feed.id, entry_id: plan.entry_id }}>Its run<//>`}`;
  return html`${plan.problems.length > 0 && html`<div class="problem"><ul>${plan.problems.map((feed) => html`<li>${link(feed)}: ${feed.problem}</li>`)}</ul></div>`}
    ${plan.feeds.length > 0 && html`<${Table} caption="Feeds that run" rows=${plan.feeds} columns=${[
      { label: "Number", cell: (feed) => plan.feeds.indexOf(feed) + 1 }, { label: "Feed", main: true, cell: link }, { label: "Add-on", cell: (feed) => feed.addon_slug }]} />`}
    ${plan.skipped.length > 0 && html`<h2>${plan.skipped.length === 1 ? "1 does not" : `${plan.skipped.length} do not`}</h2>
      <${Table} caption="Feeds that do not run" rows=${plan.skipped} columns=${[{ label: "Feed", main: true, cell: link }, { label: "Add-on", cell: (feed) => feed.addon_slug }, { label: "Why", cell: why }]} />`}`;
}
