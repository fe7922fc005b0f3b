// What leads bring to the console, which has it where the service has this part: the screens, the fields of forms and
// add-ons, and the leads of the last days on the start screen, as bars, and as a table for screen readers.
import { Link, counted, go, html, useLoad, useState } from "./lib.js";
import { create, fromUtc, get, local, may, post, timezone } from "./api.js";
import { Entry, EntryList, boundsOf, getEntryNames } from "./entries.js";
import { Form, WITHOUT_VALUE, findForm, getForms, getRuleFields } from "./form.js";
import { Choice, Loaded, LongText, Problem, Screen, Table, Tabs, Text, displayTime, openTabOf, sayDone, useAction } from "./ui.js";

const ADDONS = [["email", "E-mail"], ["gravityformsslack", "Slack"], ["gravityformswebhooks", "Request to a URL"]];
// `{tags}` stands for the merge tags of the form.
const TAGS = "May have merge tags: {tags}.";
const MESSAGE = ["message", "Message", `${TAGS} Empty: all fields.`, { rows: 6 }];
/** The settings of each add-on: key, label, hint, and the options or rows of its field. @type {Record<string, any[]>} */
const SETTINGS = {
  email: [
    ["toEmail", "To", "Up to 20 addresses, with commas between."],
    ["toField", "Or to the address in field", "The id of an e-mail field of the form.", { type: "email" }],
    ["cc", "Copy to"], ["bcc", "Hidden copy to"], ["fromName", "Name of the sender"], ["replyTo", "Answers go to", "Addresses, or merge tags of them."],
    ["subject", "Subject", "May have merge tags."], MESSAGE, ["messageFormat", "Format", "", { options: [["", "Plain text"], ["html", "HTML"]] }],
  ],
  gravityformsslack: [["webhookURL", "URL of the incoming webhook"], MESSAGE],
  gravityformswebhooks: [
    ["requestURL", "URL", TAGS], ["requestMethod", "Method", "", { options: ["POST", "GET", "PUT", "PATCH", "DELETE"] }],
    ["requestFormat", "Format", "", { options: [["json", "JSON"], ["form", "Form"]] }],
    ["requestBodyType", "Values", "", { options: [["all_fields", "All fields"], ["select_fields", "Those of fieldValues in the JSON"]] }],
  ],
};

/** A form: one by its name, where there are any that the caller may read, or the number of another. */
export function FormField({ value, change, none, ...attrs }) {
  const state = useLoad(async () => (may("forms:read") ? getForms() : []));
  const chosen = String(value ?? "");
  // A filter has no hint, and needs no new form.
  const hint = state.data && attrs.hint && may("forms:write") ? html`${attrs.hint} <${Link} path="forms/new">Make a form<//>` : attrs.hint;
  if (!state.data?.length) return html`<${Text} ...${attrs} hint=${hint} value=${value} change=${change} />`;
  const empty = none === "All forms" ? "0" : "";
  const known = [...(chosen === "" && empty ? [["", "Choose"]] : []), ...state.data.map(({ id, title }) => [id, title]), [empty, none]];
  const isOther = !known.some(([id]) => id === chosen);
  return html`<${Choice} ...${attrs} hint="" value=${chosen} change=${change} options=${[...known, [isOther ? chosen : " ", "Another form"]]} />
    ${isOther && html`<${Text} ...${attrs} label="Its number" value=${chosen.trim()} change=${(text) => change(text || " ")} />`}`;
}

/** An add-on: one that landform runs, or the name of another. */
export function AddonField({ value, change, ...attrs }) {
  const isOther = value !== "" && !ADDONS.some(([slug]) => slug === value);
  const options = [...(value === "" ? [["", "Choose"]] : []), ...ADDONS, [isOther ? value : " ", "Another add-on"]];
  return html`<${Choice} label=${attrs.label} name="addon" value=${value} change=${change} options=${options} />
    ${isOther && html`<${Text} ...${attrs} label="Its name" value=${value.trim()} change=${(text) => change(text || " ")} />`}`;
}

/** Return the settings of the meta that are fields: the key, label, hint and options of each. A value that is no text stays in the JSON. */
export const settingsOf = ({ addon_slug, meta }) => (Object.hasOwn(SETTINGS, addon_slug) ? SETTINGS[addon_slug] : [])
  .filter(([key]) => ["string", "undefined"].includes(typeof meta[key]));

/** Return the merge tags of the fields of a form. */
const tagsOf = ({ fields }) => [...fields.filter(({ type }) => !WITHOUT_VALUE.includes(type)).map(({ id, label }) => `{${String(label).replace(/[{}]/g, "")}:${id}}`), "{all_fields}"].join(", ");

/** Return the choices of a setting that names a field of a type; none where the form has no such field. */
function fieldsOf(form, wanted, chosen) {
  const fields = form ? form.fields.filter(({ type }) => type === wanted).map(({ id, label }) => [String(id), label]) : [];
  const isOther = chosen && !fields.some(([id]) => id === chosen);
  return fields.length ? [["", "No field"], ...fields, ...(isOther ? [chosen] : [])] : undefined;
}

/** The settings of an add-on as fields; `change` gets the changed keys, of which an empty one is removed. */
export function AddonSettings({ values: { addon_slug, form_id, meta }, change }) {
  const { data: form } = useLoad(() => findForm(form_id), [form_id]);
  const tags = form ? tagsOf(form) : "{Email:2}, {all_fields}";
  return settingsOf({ addon_slug, meta }).map(([key, label, hint = "", { type, rows, options = type && fieldsOf(form, type, meta[key]) } = {}]) => html`<${options ? Choice : rows ? LongText : Text}
    key=${key} label=${label} name=${key} hint=${type && options ? "" : hint.replace("{tags}", () => tags)} rows=${rows} options=${options} value=${meta[key] ?? ""} change=${(text) => change({ [key]: text || undefined })} />`);
}

/** A button that sends a test mail of a feed as it is stored. */
export function FeedTest({ id, feed }) {
  const [message, setMessage] = useState("");
  const [send, isSending, error] = useAction(async () => {
    setMessage("");
    setMessage((await post(`/feeds/${id}/test`)).data.message);
  });
  return feed.addon_slug === "email" && html`<section class="card"><h2>Test</h2>
    <p class="hint">A mail with sample values goes to the addresses under “To”, as they are saved.</p><${Problem} error=${error} />
    <p><button type="button" disabled=${isSending} onClick=${send}>Send a test mail</button></p><p role="status">${message}</p></section>`;
}

/** Get the titles of the forms by their ids, as far as the caller may read them. */
export const getTitles = async () => Object.fromEntries((may("forms:read") ? await getForms() : []).map(({ id, title }) => [id, title]));

const DAYS = 14;
// The longest list of the API.
const MOST_PER_PAGE = 200;
const MILLISECONDS = 86400000;
// The units of the picture: of a bar with its gap, and of the highest bar.
const [STEP, HEIGHT] = [20, 80];

/** Return the days of the site from the first to today. */
function lastDays() {
  const today = Date.parse(local(new Date()).slice(0, 10));
  return Array.from({ length: DAYS }, (_, place) => new Date(today - (DAYS - 1 - place) * MILLISECONDS).toISOString().slice(0, 10));
}

/** Get the number of entries from one day to another, and the first `size` of them. */
async function find(from, to, size) {
  const search = JSON.stringify({ status: "active", ...boundsOf(from, to) });
  return (await get("/entries", { search, "paging[page_size]": size, _field_ids: "date_created" })).data;
}

/** Get the number of entries of each day: of a list of all, or of each day if this list would be too long. */
async function loadDays() {
  const days = lastDays();
  const { entries, total_count } = await find(days[0], days.at(-1), MOST_PER_PAGE);
  const sent = entries.map(({ date_created }) => fromUtc(date_created).slice(0, 10));
  const isWhole = total_count <= MOST_PER_PAGE;
  return Promise.all(days.map(async (day) => ({ day, count: isWhole ? sent.filter((one) => one === day).length : (await find(day, day, 1)).total_count })));
}

export const RecentLeads = () => may("entries:read") && html`<${Days} />`;

function Days() {
  const state = useLoad(loadDays);
  return html`<section class="card"><h2>Leads of the last ${DAYS} days</h2><${Loaded} state=${state}>${(days) => html`<${Bars} days=${days} />`}<//></section>`;
}

function Bars({ days }) {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  if (!total) return html`<p class="empty">No entry was sent. <${Link} path="forms">Forms<//> collect them on your pages.</p>`;
  const most = Math.max(...days.map(({ count }) => count));
  const height = (count) => (count ? Math.max(2, (count / most) * HEIGHT) : 0);
  return html`<p><${Link} path="entries" query=${{ from: days[0].day }}>${counted(total, "entry")}<//>, at most ${most.toLocaleString("en")} a day</p>
    <svg viewBox="0 0 ${DAYS * STEP} ${HEIGHT}" width="100%" height="80" class="chart" preserveAspectRatio="none" aria-hidden="true" fill="currentColor">${days.map(({ day, count }, place) => html`<rect key=${day} x=${place * STEP + 2} y=${HEIGHT - height(count)} width=${STEP - 4} height=${height(count)}><title>${day}: ${count}</title></rect>`)}</svg>
    <p class="hint ends" aria-hidden="true"><span>${days[0].day}</span><span>today</span></p>
    <table class="unseen"><caption>Entries by day (${timezone})</caption><thead><tr><th scope="col">Day</th><th scope="col">Entries</th></tr></thead>
      <tbody>${days.map(({ day, count }) => html`<tr><th scope="row">${day}</th><td>${count}</td></tr>`)}</tbody></table>`;
}

const STATUSES = [["active", "Active"], ["inactive", "Off"], ["trash", "Trash"]];

/** When the last entry of a form was sent. */
function LastEntry({ id }) {
  const state = useLoad(async () => (await get(`/forms/${id}/entries`, { "paging[page_size]": 1, _field_ids: "id,date_created" })).data.entries[0], [id]);
  if (!state.data) return state.loading ? "…" : "none yet";
  return html`<${Link} path="entries/${state.data.id}">${displayTime(fromUtc(state.data.date_created))}<//>`;
}

function FormList({ query }) {
  const status = openTabOf(STATUSES, query.status);
  const state = useLoad(() => getForms(status), [status]);
  const reads = may("entries:read");
  const [duplicate, isRunning, error] = useAction(async (id) => {
    const { data: form } = await get(`/forms/${id}`);
    const { data, headers } = await create("/forms", { ...form, id: undefined, title: `${form.title} (copy)` });
    go(`forms/${data.id}`);
    sayDone("This is a copy, without the entries and the feeds of the form.", headers.get("X-Landform-Warning"));
  });
  const columns = [
    { label: "Form", main: true, cell: ({ id, title }) => html`<${Link} path="forms/${id}" query=${query}>${title}<//> <span class="hint">Form ${id}</span>` },
    { label: "Entries", cell: ({ id, entries }) => (reads ? html`<${Link} path="entries" query=${{ form_id: id }} aria-label="Entries of ${id}: ${entries}">${Number(entries).toLocaleString("en")}<//>` : entries) },
    reads && { label: `Last entry (${timezone})`, cell: ({ id, entries }) => (Number(entries) ? html`<${LastEntry} id=${id} />` : "none yet") },
    may("feeds:read") && { label: "", cell: ({ id, title }) => html`<${Link} path="feeds" query=${{ form_id: id }} aria-label="Feeds of ${title}">Feeds<//>` },
    may("forms:write") && { label: "", cell: ({ id, title }) => html`<button aria-label="Duplicate ${title}" disabled=${isRunning} onClick=${() => duplicate(id)}>Duplicate</button>` },
  ];
  return html`<${Screen} title="Forms" actions=${may("forms:write") && html`<${Link} class="button main" path="forms/new">New form<//>`}>
    <${Tabs} label="States of forms" tabs=${STATUSES} /><${Problem} error=${error} />
    <${Loaded} state=${state}>${(forms) => html`<${Table} caption="Forms" columns=${columns} rows=${forms}
      empty=${status === "active" ? "There are no forms. A form collects leads on your pages." : "There are no such forms."} />`}<//>
  <//>`;
}

export const additions = { AddonField, AddonSettings, FeedTest, FormField, RecentLeads, getEntryNames, getRuleFields, getTitles, settingsOf };
export const screens = { forms: [FormList, Form], entries: [EntryList, Entry] };
