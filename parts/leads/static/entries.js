// The list of entries by form, status and text; and one entry: its values, where it came from, and the runs of its feeds.
import { Link, counted, go, html, refine, useEffect, useLoad, useState } from "./lib.js";
import { fromUtc, get, hasPart, list, may, post, put, remove, timezone } from "./api.js";
import { Reason, getFeedNames, labelsOf as namesOf } from "./feed.js";
import { ENDED, RUN_COLUMNS } from "./feeds.js";
import { findForm, getForms, getRuleFields } from "./form.js";
import { Choice, Confirmed, Filter, List, Loaded, Problem, Screen, Table, Tabs, Text, Values, displayTime, openTabOf, say, useAction } from "./ui.js";

const STATUSES = [["active", "Active"], ["spam", "Spam"], ["trash", "Trash"]];
const PER_PAGE = 50;
// How many values of an entry a row shows.
const VALUES = 3;

/** Return the bounds of a search for entries of days of the site, from the first to the last one. */
export const boundsOf = (from, to) => ({ ...(from && { start_date: from }), ...(to && { end_date: to }) });

/** Return the parameters of a search. */
function searchOf({ status, q, from, to }) {
  /** @type {Record<string, any>} */
  const search = { status, ...boundsOf(from, to) };
  if (q) search.field_filters = [{ key: "0", value: q, operator: "contains" }];
  return { search: JSON.stringify(search) };
}

/** Return the values of an entry that are filled in, by the ids of their inputs in order. */
export const valuesOf = (entry) => Object.entries(entry).filter(([id, value]) => /^\d+(\.\d+)?$/.test(id) && value !== "")
  .sort(([a], [b]) => parseInt(a, 10) - parseInt(b, 10) || a.localeCompare(b, "en", { numeric: true }));

/** Return the properties of an entry that rules may compare. */
const propertiesOf = (entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => /^[a-z]/.test(name)));

/** Return the first values of an entry, without boxes that are only checked. */
const summaryOf = (entry) => valuesOf(entry).filter(([id, value]) => !(id.endsWith(".1") && value === "1")).slice(0, VALUES).map(([, value]) => String(value).slice(0, 80)).join(", ");

/** Change the properties of an entry, such as its star or its status. */
export const setProperties = (id, properties) => put(`/entries/${id}/properties`, properties);

export function EntryList({ query }) {
  const filters = { form_id: query.form_id || "", q: query.q || "", from: query.from || "", to: query.to || "", status: openTabOf(STATUSES, query.status) };
  const path = filters.form_id ? `/forms/${encodeURIComponent(filters.form_id)}/entries` : "/entries";
  const state = useLoad(async () => {
    const { entries, total_count: total } = (await get(path, { ...searchOf(filters), "paging[page_size]": PER_PAGE, "paging[current_page]": query.page })).data;
    return { items: entries, total, pages: Math.ceil(total / PER_PAGE) };
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
  const star = (entry) => (entry.is_starred === "1" ? "★" : "☆");
  const columns = [
    writes && { label: "", heading: "Star", cell: (entry) => html`<button class="plain" aria-pressed=${entry.is_starred === "1" ? "true" : "false"} aria-label="Star entry ${entry.id}" disabled=${isChanging} onClick=${() => change(entry, { is_starred: entry.is_starred === "1" ? 0 : 1 }, `Entry ${entry.id} ${entry.is_starred === "1" ? "has no star" : "has a star"}.`)}>${star(entry)}</button>` },
    { label: "Entry", main: true, cell: (entry) => html`<${Link} path="entries/${entry.id}" class=${entry.is_read === "1" ? undefined : "unread"}>${summaryOf(entry) || `Entry ${entry.id}`}<//>${entry.is_read !== "1" && html` <span class="tag">new</span>`}` },
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
      <${Choice} label="Form" name="form_id" value=${filters.form_id} options=${[["", "All forms"], ...(forms.data || []).map(({ id, title }) => [id, title])]} change=${(form_id) => refine({ form_id, page: "" })} />
      <${Filter} label="Search" name="q" type="search" query=${query} />
      ${[["from", "From"], ["to", "To"]].map(([name, label]) => html`<${Text} label=${label} name=${name} type="date" value=${filters[name]} change=${(day) => refine({ [name]: day, page: "" }, { replace: true })} />`)}
    </div>
    <${Problem} error=${error || csvError} />
    <p class="hint">${filters.form_id ? html`<button disabled=${isDownloading} onClick=${download}>Download CSV</button>` : "Choose a form to download its entries as CSV."}</p>
    <${List} caption="Entries" what="entry" state=${{ ...state, reload: () => [state, forms].forEach(({ reload }) => reload()) }} columns=${columns} empty="There are no such entries." />
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

// By status. The button of a way becomes that of the way back, so that it keeps the focus.
const NEXT = { active: [["spam", "Spam"], ["trash", "Move to the trash"]], spam: [["active", "Not spam"], ["trash", "Move to the trash"]], trash: [["active", "Restore"]] };

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
  return isConsent && input < 3 ? input === "1" && (entry[`${field}.2`] || "Checked") : String(value);
}

export function Entry({ id }) {
  const state = useLoad(async () => {
    const { data } = await get(`/entries/${encodeURIComponent(id)}`, { _labels: 1 });
    return { entry: data, form: await findForm(data.form_id) };
  }, [id]);
  const entry = state.data?.entry;
  const writes = may("entries:write");
  useEffect(() => {
    // Who opens an entry has read it.
    if (entry && writes && entry.is_read !== "1") setProperties(entry.id, { is_read: 1 }).catch(() => {});
  }, [entry?.id]);
  return html`<${Screen} title="Entry ${id}"><p><${Link} path="entries" query=${{ form_id: entry?.form_id }}>Entries<//></p>
    <${Loaded} state=${state}>${(loaded) => html`<${Sent} ...${loaded} writes=${writes} reload=${state.reload} />
      ${hasPart("runs") && may("feeds:read") && html`<section class="card"><h2>Its feeds</h2><${Runs} entry=${loaded.entry} /><${NotRun} key=${loaded.entry.status} entry=${loaded.entry} /></section>`}`}<//><//>`;
}

function Sent({ entry, form, writes, reload }) {
  const labels = labelsOf(entry._labels);
  const [change, isChanging, error] = useAction(async (properties, text) => {
    await setProperties(entry.id, properties);
    say(text);
    reload();
  });
  const [erase, isErasing, eraseError] = useAction(async () => {
    await remove(`/entries/${entry.id}?force=1`);
    go("entries", { form_id: entry.form_id });
    say(`Entry ${entry.id} was deleted for good.`);
  });
  return html`<section class="card"><h2>What was sent</h2>
    <${Values} pairs=${valuesOf(entry).map(([id, value]) => [labels[id] || `Input ${id}`, textOf(entry, form, id, value)])} />
    <p class="hint">Sent ${displayTime(fromUtc(entry.date_created))} (${timezone})${entry.source_url && html` from <a href=${/^https?:/.test(entry.source_url) ? entry.source_url : undefined} rel="noreferrer">${entry.source_url}</a>`}. Status: ${entry.status}.</p>
    <${Problem} error=${error || eraseError} />
    ${writes && html`<div class="actions">
      <button aria-pressed=${entry.is_starred === "1" ? "true" : "false"} disabled=${isChanging} onClick=${() => change({ is_starred: entry.is_starred === "1" ? 0 : 1 }, entry.is_starred === "1" ? "The star is gone." : "Starred.")}>Star</button>
      <button disabled=${isChanging} onClick=${() => change({ is_read: 0 }, `Entry ${entry.id} is unread.`)}>Mark as unread</button>
      ${NEXT[entry.status]?.map(([status, label]) => html`<button key=${[status, entry.status].includes("trash")} disabled=${isChanging} onClick=${() => change({ status }, `Entry ${entry.id}: the status is ${status}.`)}>${label}</button>`)}
      <${Confirmed} label="Delete for good" class="danger" question="Delete entry ${entry.id} for good?" act=${erase} disabled=${isErasing} /></div>`}
  </section>`;
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
    may("runs:write") && { label: "", cell: (run) => ENDED.includes(run.state) && html`<button aria-label="Replay ${nameOf(run)}" disabled=${isRunning} onClick=${() => replay(run)}>Replay</button>` },
  ];
  return html`<${Problem} error=${error} />
    <${Loaded} state=${state}>${({ items }) => html`<${Table} caption="Runs of feeds" columns=${columns} rows=${items} empty="No feed was run for this entry." />`}<//>`;
}

const NOT_ASKED = "It was not asked to: it was added or changed since, or nobody sent the entry on a page.";
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
