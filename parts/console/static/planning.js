// Try an entry: the feeds of a form that would run for it, and the reasons of the others.
import { html, useEffect, useRef, useState } from "./lib.js";
import { list, post } from "./api.js";
import { Link, refine } from "./address.js";
import { operatorName } from "./conditions.js";
import { isObject } from "./document.js";
import { feedName, formName } from "./feeds.js";
import { hasPart } from "./session.js";
import { Check, Json, Problem, Screen, Table, Text, say, useAction } from "./ui.js";

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
    const [{ data }, { items }] = await Promise.all([
      post(`/forms/${encodeURIComponent(form_id)}/feeds/plan`, body),
      list("/feeds", { form_id: forms, _fields: "id,meta.feedName" }),
    ]);
    setResult({ ...data, names: Object.fromEntries(items.map((feed) => [feed.id, feedName(feed)])) });
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
    <form ref=${form} onSubmit=${(event) => { event.preventDefault(); plan(); }}>
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

function Result({ plan }) {
  const link = (feed) => html`<${Link} path="feeds/${feed.id}">${plan.names[feed.id] || `Feed ${feed.id}`}<//>${![undefined, plan.form_id].includes(feed.form_id) && html` <span class="hint">for ${formName(feed.form_id).toLowerCase()}</span>`}`;
  const why = (feed) => html`${REASONS[feed.reason] || feed.reason} ${feed.problem || ""}
    ${feed.reason === "already_run" && hasPart("runs") && html`<${Link} path="runs" query=${{ state: "all", feed_id: feed.id, entry_id: plan.entry_id }}>Its run<//>`}
    ${feed.rules && html`<ul class="compared">${feed.rules.map((rule) => html`<li><strong>${rule.matches ? "Matches" : "Does not match"}:</strong> ${" "}
      <code>${rule.fieldId}</code> ${operatorName(rule.operator)} ${rule.value === "" ? "blank" : html`<q>${rule.value}</q>`}; the entry has ${rule.values.map((value, place) => html`${place ? ", " : ""}${value === "" ? "a blank" : html`<q>${value}</q>`}`)}</li>`)}</ul>`}`;
  return html`${plan.problems.length > 0 && html`<div class="problem"><ul>${plan.problems.map((feed) => html`<li>${link(feed)}: ${feed.problem}</li>`)}</ul></div>`}
    ${plan.feeds.length > 0 && html`<${Table} caption="Feeds that run" rows=${plan.feeds} columns=${[
      { label: "Number", cell: (feed) => plan.feeds.indexOf(feed) + 1 }, { label: "Feed", main: true, cell: link }, { label: "Add-on", cell: (feed) => feed.addon_slug }]} />`}
    ${plan.skipped.length > 0 && html`<h2>${plan.skipped.length === 1 ? "1 does not" : `${plan.skipped.length} do not`}</h2>
      <${Table} caption="Feeds that do not run" rows=${plan.skipped} columns=${[{ label: "Feed", main: true, cell: link }, { label: "Add-on", cell: (feed) => feed.addon_slug }, { label: "Why", cell: why }]} />`}`;
}
