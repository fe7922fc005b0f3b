// An entry: its values, where it came from, and the runs of its feeds.
import { html, useEffect, useLoad } from "./lib.js";
import { get, list, post, remove, timezone } from "./api.js";
import { Link, go } from "./address.js";
import { fromUtc } from "./clock.js";
import { setProperties, valuesOf } from "./entries.js";
import { feedName } from "./feeds.js";
import { hasPart, may } from "./session.js";
import { Confirmed, Loaded, Problem, Screen, Table, Values, say, displayTime, useAction } from "./ui.js";

// By status. The button of a way becomes that of the way back, so that it keeps the focus.
const NEXT = { active: [["spam", "Spam"], ["trash", "Move to the trash"]], spam: [["active", "Not spam"], ["trash", "Move to the trash"]], trash: [["active", "Restore"]] };
const ENDED = ["success", "skipped", "failed"];

/** Return the label of each input from the labels of the service, which are nested by field. */
const labelsOf = (labels) => Object.fromEntries(Object.values(labels || {}).flatMap((item, place) => {
  if (typeof item === "string") return [[Object.keys(labels)[place], item]];
  const field = Object.keys(labels)[place];
  return Object.entries(item).map(([id, label]) => [id, id === field || label === item[field] ? label : `${item[field]}: ${label}`]);
}));

/** Get a form, if it is still there and the caller may read it. */
const findForm = async (id) => (may("forms:read") ? (await get(`/forms/${id}`).catch(() => ({ data: null }))).data : null);

/** Return a value as people read it: that of a consent is the text that was agreed to. */
function textOf(entry, form, id, value) {
  const consent = form?.fields.find((field) => field.type === "consent" && `${field.id}.1` === id);
  return consent ? entry[`${consent.id}.2`] || "Checked" : String(value);
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
      ${hasPart("runs") && may("feeds:read") && html`<${Runs} entry=${loaded.entry} />`}`}<//><//>`;
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

/** The runs of the feeds for an entry, which can be repeated. */
function Runs({ entry }) {
  const state = useLoad(async () => {
    const [runs, { items: feeds }] = await Promise.all([
      list("/runs", { entry_id: entry.id, form_id: entry.form_id, per_page: 100 }), list("/feeds", { form_id: [entry.form_id, "0"], _fields: "id,meta.feedName" }),
    ]);
    return { ...runs, names: Object.fromEntries(feeds.map((feed) => [feed.id, feedName(feed)])) };
  }, [entry.id]);
  const nameOf = ({ feed_id }) => state.data?.names[feed_id] || `Feed ${feed_id}`;
  const [replay, isRunning, error] = useAction(async (run) => {
    await post(`/feeds/${run.feed_id}/runs/${run.id}/replay`);
    say(`${nameOf(run)} runs once more.`);
    state.reload();
  });
  const columns = [
    { label: "Feed", main: true, cell: (run) => html`<${Link} path="feeds/${run.feed_id}">${nameOf(run)}<//>` },
    { label: "State", cell: (run) => html`<span class="state ${run.state}">${run.state}</span> <span class="hint">attempt ${run.attempt}</span>` },
    { label: "Outcome", cell: (run) => html`${run.code && html`<code>${run.code}</code> `}${run.message}` },
    { label: "Last written", cell: (run) => displayTime(run.modified) },
    may("runs:write") && { label: "", cell: (run) => ENDED.includes(run.state) && html`<button aria-label="Replay ${nameOf(run)}" disabled=${isRunning} onClick=${() => replay(run)}>Replay</button>` },
  ].filter(Boolean);
  return html`<section class="card"><h2>Its feeds</h2><${Problem} error=${error} />
    <${Loaded} state=${state}>${({ items }) => html`<${Table} caption="Runs of feeds" columns=${columns} rows=${items} empty="No feed was run for this entry." />`}<//></section>`;
}
