// The list of entries by form, status and text; and one entry: its values, where it came from, and the runs of its feeds.
import { Link, counted, go, html, instead, refine, useEffect, useLoad, useState } from "./lib.js";
import { batch, fromUtc, get, hasPart, list, may, post, put, remove, timezone } from "./api.js";
import { Bar, useDocument } from "./document.js";
import { Reason, getFeedNames, labelsOf as namesOf } from "./feed.js";
import { ENDED, RUN_COLUMNS, Replay } from "./feeds.js";
import { WITHOUT_VALUE, boxesOf, findForm, getForms, getRuleFields, nameOf, partsOf } from "./form.js";
import { Check, Choice, Confirmed, Filter, List, Loaded, LongText, Problem, Screen, Table, Tabs, Text, Values, displayTime, openTabOf, say, useAction, useSelection } from "./ui.js";

const STATUSES = [["active", "Active"], ["spam", "Spam"], ["trash", "Trash"]];
const PER_PAGE = 50;
// What a list may be narrowed to.
const ONLY = {
  unread: { name: "Unread", filters: [{ key: "is_read", value: "0" }] },
  starred: { name: "With a star", filters: [{ key: "is_starred", value: "1" }] },
};
// How many values of an entry a row shows.
const VALUES = 3;

const READ = [[{ is_read: 1 }, "Mark as read", "marked as read"], [{ is_read: 0 }, "Mark as unread", "marked as unread"]];
const TRASH = [{ status: "trash" }, "Move to the trash", "moved to the trash"];
// By status: the properties, the name of the button, and what was done. The button of a way becomes that of the way back, so that it keeps the focus.
/** @type {Record<string, any[][]>} */
const NEXT = {
  active: [[{ status: "spam" }, "Spam", "marked as spam"], TRASH], spam: [[{ status: "active" }, "Not spam", "no spam"], TRASH], trash: [[{ status: "active" }, "Restore", "restored"]],
};

/** Return the bounds of a search for entries of days of the site, from the first to the last one. */
export const boundsOf = (from, to) => ({ ...(from && { start_date: from }), ...(to && { end_date: to }) });

/** Return the parameters of a search. */
function searchOf({ status, q, only, from, to }) {
  const filters = [...(q ? [{ key: "0", value: q, operator: "contains" }] : []), ...(ONLY[only]?.filters || [])];
  const search = { status, ...boundsOf(from, to), ...(filters.length && { field_filters: filters }) };
  return { search: JSON.stringify(search) };
}

/** Return the values of an entry that are filled in, by the ids of their inputs, in the order of its form; those of other fields are the last ones. */
function valuesOf(entry, form) {
  const places = Object.fromEntries((form?.fields || []).map(({ id }, place) => [id, place]));
  const placeOf = (id) => places[parseInt(id, 10)] ?? 1000 + parseInt(id, 10);
  return Object.entries(entry).filter(([id, value]) => /^\d+(\.\d+)?$/.test(id) && value !== "")
    .sort(([a], [b]) => placeOf(a) - placeOf(b) || a.localeCompare(b, "en", { numeric: true }));
}

/** Get the forms with these ids, whole, by their ids. */
const findForms = async (ids) => (may("forms:read") && ids.length ? (await get("/forms", { include: [...new Set(ids)] })).data : {});

/** Get the names of the entries of rows, which have `form_id` and `entry_id`, by both; the entry of another service may have the same id. */
export async function getEntryNames(rows) {
  const ids = rows.map(({ entry_id }) => entry_id).filter((id) => /^\d{1,15}$/.test(id));
  if (!ids.length || !may("entries:read")) return {};
  const entries = Object.values((await get("/entries", { include: [...new Set(ids)] })).data);
  const forms = await findForms(entries.map(({ form_id }) => form_id));
  return Object.fromEntries(entries.map((entry) => [`${entry.form_id}/${entry.id}`, summaryOf(entry, forms[entry.form_id])]));
}


/** Return the properties of an entry that rules may compare. */
const propertiesOf = (entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => /^[a-z]/.test(name)));

/** Return the first values of an entry, without boxes that are only checked. */
const summaryOf = (entry, form) => valuesOf(entry, form).filter(([id, value]) => !(id.endsWith(".1") && value === "1")).slice(0, VALUES).map(([, value]) => String(value).slice(0, 80)).join(", ");

/** Change the properties of an entry, such as its star or its status. */
export const setProperties = (id, properties) => put(`/entries/${id}/properties`, properties);

export function EntryList({ query }) {
  const filters = { form_id: query.form_id || "", q: query.q || "", from: query.from || "", to: query.to || "", only: query.only || "", status: openTabOf(STATUSES, query.status) };
  const path = filters.form_id ? `/forms/${encodeURIComponent(filters.form_id)}/entries` : "/entries";
  const state = useLoad(async () => {
    const { entries, total_count: total } = (await get(path, { ...searchOf(filters), "paging[page_size]": PER_PAGE, "paging[current_page]": query.page })).data;
    return { items: entries, of: await findForms(entries.map(({ form_id }) => form_id)), total, pages: Math.ceil(total / PER_PAGE) };
  }, [query.page, ...Object.values(filters)]);
  const forms = useLoad(() => getForms());
  const titles = Object.fromEntries((forms.data || []).map(({ id, title }) => [id, title]));
  const [change, isChanging, error] = useAction(async (entry, properties, text) => {
    await setProperties(entry.id, properties);
    say(text);
    state.reload();
  });
  const [download, isDownloading, csvError] = useAction(async () => {
    const { data } = await get(path, searchOf(filters), { headers: { Accept: "text/csv" }, blob: true });
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(data), download: `form-${filters.form_id}-entries.csv` });
    link.click();
    URL.revokeObjectURL(link.href);
    say("The entries are in your downloads.");
  });
  const writes = may("entries:write");
  const selection = useSelection(state.data?.items || [], ({ id }) => `entry ${id}`, JSON.stringify(query));
  const [changeAll, isChangingAll, allError] = useAction(async (properties, what) => {
    const responses = await batch(selection.chosen.map(({ id }) => ({ method: "PUT", path: `/entries/${id}/properties`, body: properties })));
    const refused = responses.filter(({ status }) => status >= 300);
    say([`${counted(responses.length - refused.length, "entry")}: ${what}.`, ...refused.map(({ body }) => body.message)].join(" "), refused.length ? "error" : "success");
    selection.clear();
    state.reload();
  });
  const star = (entry) => (entry.is_starred === "1" ? "★" : "☆");
  const columns = [
    writes && selection.column,
    writes && { label: "", heading: "Star", cell: (entry) => html`<button class="plain" aria-pressed=${entry.is_starred === "1" ? "true" : "false"} aria-label="Star entry ${entry.id}" disabled=${isChanging} onClick=${() => change(entry, { is_starred: entry.is_starred === "1" ? 0 : 1 }, `Entry ${entry.id} ${entry.is_starred === "1" ? "has no star" : "has a star"}.`)}>${star(entry)}</button>` },
    { label: "Entry", main: true, cell: (entry) => html`<${Link} path="entries/${entry.id}" query=${query} class=${entry.is_read === "1" ? undefined : "unread"}>${summaryOf(entry, state.data.of[entry.form_id]) || `Entry ${entry.id}`}<//>${entry.is_read !== "1" && html` <span class="tag">new</span>`}` },
    { label: "Form", cell: ({ form_id }) => titles[form_id] || `Form ${form_id}` },
    { label: `Sent (${timezone})`, cell: ({ date_created }) => html`<time datetime="${date_created.replace(" ", "T")}Z">${displayTime(fromUtc(date_created))}</time>` },
    writes && { label: "", cell: (entry) => html`<div class="actions">
      ${filters.status === "active" && html`<button aria-label="Spam: entry ${entry.id}" disabled=${isChanging} onClick=${() => change(entry, { status: "spam" }, `Entry ${entry.id} is spam.`)}>Spam</button>
        <button class="danger" aria-label="Trash entry ${entry.id}" disabled=${isChanging} onClick=${() => change(entry, { status: "trash" }, `Entry ${entry.id} is in the trash.`)}>Trash</button>`}
      ${filters.status !== "active" && html`<button aria-label="${filters.status === "spam" ? "Not spam" : "Restore"}: entry ${entry.id}" disabled=${isChanging} onClick=${() => change(entry, { status: "active" }, `Entry ${entry.id} is active.`)}>${filters.status === "spam" ? "Not spam" : "Restore"}</button>`}</div>` },
  ];
  return html`<${Screen} title="Entries">
    <${Tabs} label="States of entries" tabs=${STATUSES} />
    <div class="filters">
      <${Choice} label="Show" name="only" value=${filters.only} options=${[["", "All"], ...Object.entries(ONLY).map(([key, { name }]) => [key, name])]} change=${(only) => refine({ only, page: "" })} />
      <${Choice} label="Form" name="form_id" value=${filters.form_id} options=${[["", "All forms"], ...(forms.data || []).map(({ id, title }) => [id, title])]} change=${(form_id) => refine({ form_id, page: "" })} />
      <${Filter} label="Search" name="q" type="search" query=${query} />
      ${[["from", "From"], ["to", "To"]].map(([name, label]) => html`<${Text} label=${label} name=${name} type="date" value=${filters[name]} change=${(day) => refine({ [name]: day, page: "" }, { replace: true })} />`)}
    </div>
    <${Problem} error=${error || csvError || allError} />
    <p class="hint">${filters.form_id ? html`<button disabled=${isDownloading} onClick=${download}>Download CSV</button>` : "Choose a form to download its entries as CSV."}</p>
    <${List} caption="Entries" what="entry" state=${{ ...state, reload: () => [state, forms].forEach(({ reload }) => reload()) }} columns=${columns} empty="There are no such entries.">
      ${() => html`<div class="act-bar">${selection.chosen.length > 0 && html`<div class="bar actions" role="group" aria-label="Selected entries"><span>${selection.chosen.length} selected</span>
        ${[...READ, ...NEXT[filters.status]].map(([properties, name, what]) => html`<button aria-disabled=${isChangingAll || undefined} onClick=${() => changeAll(properties, what)}>${name}</button>`)}
        <button class="plain" onClick=${selection.clear}>Clear selection</button></div>`}</div>`}<//>
    ${writes && html`<${Erasure} done=${state.reload} />`}
  <//>`;
}

/** Delete every entry of a person. */
function Erasure({ done }) {
  const [email, setEmail] = useState("");
  const [erase, isRunning, error] = useAction(async () => {
    const { data } = await post("/entries/erase", { email: email.trim() });
    say(`${counted(data.erased, "entry")} ${data.erased === 1 ? "was" : "were"} deleted for good.`);
    setEmail("");
    done();
  });
  return html`<details><summary>Erase a person</summary><p class="hint">Deletes every entry with this e-mail address for good, in all forms, also from spam and trash.</p>
    <${Problem} error=${error} />
    <${Text} label="E-mail address" name="email" error=${error} value=${email} change=${setEmail} />
    <${Confirmed} label="Erase" class="danger" question="Delete every entry with ${email} for good?" act=${erase} disabled=${isRunning || !email.includes("@")} /></details>`;
}


/** Return the label of each input from the labels of the service, which are nested by field. */
const labelsOf = (labels) => Object.fromEntries(Object.values(labels || {}).flatMap((item, place) => {
  if (typeof item === "string") return [[Object.keys(labels)[place], item]];
  const field = Object.keys(labels)[place];
  return Object.entries(item).map(([id, label]) => [id, id === field || label === item[field] ? label : `${item[field]}: ${label}`]);
}));

/** Return a value as people read it: that of a consent is the text that was agreed to, which is no value of its own. */
function textOf(entry, form, id, value) {
  const [field, input] = id.split(".");
  const isConsent = form?.fields.some(({ id: one, type }) => type === "consent" && String(one) === field);
  if (form?.fields.some(({ id: one, type }) => type === "multiselect" && String(one) === id)) return chosenOf(value).join(", ");
  return isConsent && input < 3 ? input === "1" && (entry[`${field}.2`] || "Checked") : String(value);
}

/** Return the chosen values of a multiselect; older entries have them with commas between. */
function chosenOf(value) {
  try {
    return [JSON.parse(value)].flat().map(String);
  } catch {
    return value.split(",").filter(Boolean);
  }
}

/** The choices of a multiselect as boxes. */
function Chosen({ label, name, value, change, options }) {
  const chosen = chosenOf(value || "[]");
  const set = (one) => (isOn) => {
    const values = isOn ? [...chosen, one] : chosen.filter((other) => other !== one);
    change(values.length ? JSON.stringify(values) : "");
  };
  return html`<fieldset><legend>${label}</legend>${options.map(([one, text]) => html`<${Check} label=${text} name="${name}.${one}" value=${chosen.includes(one)} change=${set(one)} />`)}</fieldset>`;
}

export function Entry({ id, query }) {
  const state = useLoad(async () => {
    const { data } = await get(`/entries/${encodeURIComponent(id)}`, { _labels: 1 });
    return { entry: data, form: await findForm(data.form_id) };
  }, [id]);
  const entry = state.data?.entry;
  const writes = may("entries:write");
  // The list as it was, or that of the form.
  const back = Object.keys(query).length ? query : { form_id: entry?.form_id };
  useEffect(() => {
    // Who opens an entry has read it.
    if (entry && writes && entry.is_read !== "1") setProperties(entry.id, { is_read: 1 }).catch(() => {});
  }, [entry?.id]);
  return html`<${Screen} title="Entry ${id}"><p><${Link} path="entries" query=${back}>Entries<//></p>
    <${Loaded} state=${state}>${(loaded) => html`<${Sent} ...${loaded} ...${{ writes, back }} reload=${state.reload} /><${Notes} ...${{ id, writes }} />
      ${hasPart("runs") && may("feeds:read") && html`<section class="card"><h2>Its feeds</h2><${Runs} entry=${loaded.entry} /><${NotRun} key=${loaded.entry.status} entry=${loaded.entry} /></section>`}`}<//><//>`;
}

/** Return the inputs of a field that are edited, each with what it takes; a consent is what the visitor agreed to, and stays. */
function inputsOf(field) {
  const { id, type, choices = [], inputs } = field;
  if (type === "consent" || WITHOUT_VALUE.includes(type)) return [];
  const name = nameOf(field);
  const options = choices.map(({ text, value = text }) => [value, text]);
  if (type === "checkbox") return (inputs || boxesOf(id, choices)).map((input, place) => ({ id: String(input.id), label: `${name}: ${input.label}`, Field: Check, more: {}, box: options[place]?.[0] || "1" }));
  if (["select", "radio"].includes(type)) return [{ id: String(id), label: name, Field: Choice, more: { options: [["", "(blank)"], ...options] } }];
  if (type === "multiselect") return [{ id: String(id), label: name, Field: Chosen, more: { options } }];
  const parts = ["email", "date", "time"].includes(type) ? [] : partsOf(field);
  if (parts.length) return parts.filter(({ isHidden }) => !isHidden).map((input) => ({ id: String(input.id), label: `${name}: ${input.label}`, Field: Text, more: {} }));
  return [{ id: String(id), label: name, Field: type === "textarea" ? LongText : Text, more: {} }];
}

/** The values of an entry as fields. */
function Editor({ entry, form, done }) {
  const inputs = form.fields.flatMap(inputsOf);
  const edited = useDocument({
    stored: { values: { inputs: Object.fromEntries(inputs.map(({ id }) => [id, entry[id] ?? ""])) } }, load: null, labels: Object.fromEntries(inputs.map(({ id, label }) => [`inputs.${id}`, label])),
    send: async (_values, changes, _stored, close) => {
      // Values of other inputs are those of now. An entry has no version.
      const { data } = await get(`/entries/${entry.id}`);
      const changed = Object.fromEntries(Object.entries(changes).map(([path, value]) => [path.replace("inputs.", ""), value]));
      await put(`/entries/${entry.id}`, { ...Object.fromEntries(valuesOf(data)), ...changed });
      close();
      done();
      say(`Entry ${entry.id} was saved. No feed runs for a change.`);
      return null;
    },
  });
  return html`<${Bar} document=${edited} fields=${inputs.map(({ id }) => id)}><button type="button" onClick=${done} disabled=${edited.isChanged}>Close</button><//>
    <form class="pairs" onSubmit=${instead(edited.save)}>${inputs.map(({ id, Field, more, box }) => {
      const field = edited.field(`inputs.${id}`);
      return html`<${Field} ...${field} ...${more} name=${id} ...${box && { value: field.value !== "", change: (isOn) => field.change(isOn ? box : "") }} />`;
    })}</form>`;
}

function Sent({ entry, form, writes, back, reload }) {
  const labels = labelsOf(entry._labels);
  const [isEdited, setEdited] = useState(false);
  const done = () => {
    setEdited(false);
    reload();
  };
  const [change, isChanging, error] = useAction(async (properties, text) => {
    await setProperties(entry.id, properties);
    say(text);
    reload();
  });
  const [erase, isErasing, eraseError] = useAction(async () => {
    await remove(`/entries/${entry.id}?force=1`);
    go("entries", back);
    say(`Entry ${entry.id} was deleted for good.`);
  });
  return html`<section class="card"><h2>What was sent</h2>
    ${isEdited ? html`<${Editor} ...${{ entry, form, done }} />` : html`<${Values} pairs=${valuesOf(entry, form).map(([id, value]) => [labels[id] || `Input ${id}`, textOf(entry, form, id, value)])} />`}
    <p class="hint">Sent ${displayTime(fromUtc(entry.date_created))} (${timezone})${entry.source_url && html` from <a href=${/^https?:/.test(entry.source_url) ? entry.source_url : undefined} rel="noreferrer">${entry.source_url}</a>`}. Status: ${entry.status}.</p>
    <${Problem} error=${error || eraseError} />
    ${writes && !isEdited && html`<div class="actions">
      ${form && html`<button onClick=${() => setEdited(true)}>Edit</button>`}
      <button aria-pressed=${entry.is_starred === "1" ? "true" : "false"} disabled=${isChanging} onClick=${() => change({ is_starred: entry.is_starred === "1" ? 0 : 1 }, entry.is_starred === "1" ? "The star is gone." : "Starred.")}>Star</button>
      <button disabled=${isChanging} onClick=${() => change({ is_read: 0 }, `Entry ${entry.id} is unread.`)}>Mark as unread</button>
      ${NEXT[entry.status]?.map(([{ status }, label]) => html`<button key=${[status, entry.status].includes("trash")} disabled=${isChanging} onClick=${() => change({ status }, `Entry ${entry.id}: the status is ${status}.`)}>${label}</button>`)}
      <${Confirmed} label="Delete for good" class="danger" question="Delete entry ${entry.id} for good?" act=${erase} disabled=${isErasing} /></div>`}
  </section>`;
}

/** What people have written about an entry. */
function Notes({ id, writes }) {
  const [value, setValue] = useState("");
  const path = `/entries/${encodeURIComponent(id)}/notes`;
  const state = useLoad(async () => ({ notes: Object.values((await get(path)).data) }), [id]);
  const [run, isRunning, error] = useAction(async (act, text) => {
    await act();
    say(text);
    state.reload();
  });
  const add = () => run(async () => {
    await post(path, { value });
    setValue("");
  }, "The note was added.");
  return html`<section class="card"><h2>Notes</h2>
    <${Loaded} state=${state}>${({ notes }) => (notes.length ? html`<ul class="plain">${notes.map((note) => html`<li key=${note.id} class="note"><p>${note.value}</p>
      <span class="hint">${note.user_name}, ${displayTime(fromUtc(note.date_created))}</span>
      ${writes && html`<${Confirmed} label="Delete" class="plain" aria-label="Delete the note of ${displayTime(fromUtc(note.date_created))}" question="Delete this note?" act=${() => run(() => remove(`/notes/${note.id}`), "The note was deleted.")} disabled=${isRunning} />`}</li>`)}</ul>` : html`<p class="empty">There are no notes.</p>`)}<//>
    ${writes && html`<form onSubmit=${instead(add)}><${Problem} error=${error} fields=${["value"]} />
      <${LongText} label="A new note" name="value" rows="2" error=${error} value=${value} change=${setValue} required /><button disabled=${isRunning || !value.trim()}>Add the note</button></form>`}</section>`;
}

const getRuns = ({ id, form_id }) => list("/runs", { entry_id: id, form_id, per_page: 100 });

/** The runs of the feeds for an entry, which can be repeated. */
function Runs({ entry }) {
  const state = useLoad(async () => {
    const [runs, names] = await Promise.all([getRuns(entry), getFeedNames([entry.form_id, "0"])]);
    return { ...runs, names };
  }, [entry.id]);
  const nameOf = ({ feed_id }) => state.data?.names[feed_id] || `Feed ${feed_id}`;
  const [replay, isRunning, error] = useAction(async (run) => {
    await post(`/feeds/${run.feed_id}/runs/${run.id}/replay`);
    say(`${nameOf(run)} runs once more.`);
    state.reload();
  });
  const columns = [
    { label: "Feed", main: true, cell: (run) => html`<${Link} path="feeds/${run.feed_id}">${nameOf(run)}<//>` },
    ...RUN_COLUMNS,
    { label: "Last written", cell: (run) => displayTime(run.modified) },
    may("runs:write") && { label: "", cell: (run) => ENDED.includes(run.state) && html`<${Replay} state=${run.state} label="Replay ${nameOf(run)}" disabled=${isRunning} act=${() => replay(run)} />` },
  ];
  return html`<${Problem} error=${error} />
    <${Loaded} state=${state}>${({ items }) => html`<${Table} caption="Runs of feeds" columns=${columns} rows=${items} empty="No feed was run for this entry." />`}<//>`;
}

const NOT_ASKED = "It was not asked to: it was added or changed since, or the entry was written by hand.";
const CLOSED = "Nothing runs for an entry that is spam or in the trash.";

/** The feeds of the form that have no run for an entry, and why: a plan explains it. */
function NotRun({ entry }) {
  const state = useLoad(async () => {
    const body = { entry: Object.fromEntries(valuesOf(entry)), properties: propertiesOf(entry), entry_id: entry.id, explain: true };
    const [{ data }, runs, names, fields] = await Promise.all([post(`/forms/${entry.form_id}/feeds/plan`, body), getRuns(entry), getFeedNames([entry.form_id]), getRuleFields(entry.form_id)]);
    const feeds = [...data.feeds, ...data.skipped].filter(({ id }) => !runs.items.some(({ feed_id }) => feed_id === id)).sort((a, b) => a.id - b.id);
    return { feeds, names, labels: namesOf(fields) };
  }, [entry.id]);
  const why = (feed, labels) => (entry.status !== "active" ? CLOSED : feed.reason ? html`<${Reason} ...${{ feed, labels }} />` : NOT_ASKED);
  return html`<${Loaded} state=${state}>${({ feeds, names, labels }) => feeds.length > 0 && html`<h3>Those that did not run</h3>
    <${Table} caption="Feeds that did not run" rows=${feeds} columns=${[
      { label: "Feed", main: true, cell: ({ id }) => html`<${Link} path="feeds/${id}">${names[id] || `Feed ${id}`}<//>` }, { label: "Why", cell: (feed) => why(feed, labels) }]} />`}<//>`;
}
