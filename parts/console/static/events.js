// The logs: the events, the newest first; and the runs of feeds, failed ones first, with their replay.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { get, hasPart, list, may, post } from "./api.js";
import { Link, refine } from "./address.js";
import { formName } from "./feed.js";
import { Check, Choice, Filter, List, Loaded, Problem, Screen, Table, Tabs, Text, displayTime, openTabOf, say, useAction } from "./ui.js";

const PER_PAGE = 50;
const FOLLOW_MILLISECONDS = 5000;
/** The types of events, by the pattern for a whole resource. */
export const TYPES = {
  "page.*": ["page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted"],
  "feed.*": ["feed.created", "feed.updated", "feed.reordered", "feed.deleted"],
  ...(hasPart("runs") && { "run.*": ["run.succeeded", "run.failed"] }),
  ...(hasPart("leads") && {
    "form.*": ["form.created", "form.updated", "form.trashed", "form.restored", "form.deleted"],
    "entry.*": ["entry.created", "entry.updated", "entry.spam", "entry.deleted"],
  }),
  "store.*": ["store.imported", "store.restored"],
};
const CHOICES = [["", "All"], ...Object.entries(TYPES).flat(2)];

/** The subject of an event, with a link unless it was deleted. */
function Subject({ type, data }) {
  const { resource, id, slug, form_id, feed_id, entry_id } = data;
  if (type === "page.deleted" || type === "feed.deleted") return `${resource} ${id}`;
  if (resource === "page") return html`<${Link} path="pages/${id}">page ${id}${slug && `, ${slug}`}<//>`;
  if (resource === "feed" && id) return html`<${Link} path="feeds/${id}">feed ${id}, form ${form_id}<//>`;
  if (resource === "feed") return html`<${Link} path="feeds" query=${{ form_id }}>feeds of form ${form_id}<//>`;
  if (resource === "run") {
    const text = `feed ${feed_id}, entry ${entry_id}`;
    return hasPart("runs") ? html`<${Link} path="runs" query=${{ state: "all", feed_id, entry_id }}>${text}<//>` : text;
  }
  return "the store";
}

export function EventList({ query }) {
  const [follows, setFollows] = useState(false);
  const { type = "", resource_id = "", before = "", until = "" } = query;
  // The whole day is shown.
  const end = until && `${until}T23:59:59`;
  const state = useLoad(() => get("/events", { order: "desc", per_page: PER_PAGE, type: type && [type], resource_id, before, until: end }), [type, resource_id, before, until]);
  useEffect(() => {
    if (!follows) return undefined;
    const timer = setInterval(() => document.hidden || state.reload(), FOLLOW_MILLISECONDS);
    return () => clearInterval(timer);
  }, [follows, state.reload]);
  const columns = [
    { label: "Number", cell: ({ id }) => id },
    { label: "Event", main: true, cell: (event) => event.type },
    { label: "About", cell: Subject },
    { label: "Changed", cell: ({ data }) => (data.changed || []).join(", ") },
    { label: "Time", cell: ({ timestamp }) => displayTime(timestamp) },
  ];
  return html`<${Screen} title="Events" actions=${before || until
    ? html`<${Link} path="events" query=${{ type, resource_id }}>Newest events<//>`
    : html`<${Check} label="Follow" value=${follows} change=${setFollows} /><button onClick=${state.reload}>Refresh</button>`}>
    <div class="filters" role="search" aria-label="Filter events">
      <${Choice} label="Type" name="type" value=${type} options=${CHOICES} change=${(value) => refine({ type: value, before: "" })} />
      <${Text} label="Number of the page${hasPart("runs") ? ", feed or run" : " or feed"}" name="resource_id" inputmode="numeric" value=${resource_id} change=${(value) => refine({ resource_id: value.replace(/\D/g, ""), before: "" }, { replace: true })} />
      <${Text} label="Until" name="until" type="date" value=${until} change=${(value) => refine({ until: value, before: "" }, { replace: true })} />
    </div>
    <${Loaded} state=${state}>${({ data, headers }) => html`<${Table} caption="Events" columns=${columns} rows=${data} empty=${type || resource_id || before || until ? "There are no such events." : "Nothing has happened yet, or no events are kept."} />
      ${headers.get("Link") && html`<nav class="paging" aria-label="Pages of results"><button onClick=${() => refine({ before: data.at(-1).id })}>Older events</button></nav>`}`}<//>
  <//>`;
}

const STATES = [["failed", "Failed"], ["due", "Due"], ["claimed", "Claimed"], ["pending", "Pending"], ["success", "Success"], ["skipped", "Skipped"], ["all", "All"]];
const ENDED = ["success", "skipped", "failed"];
const FILTERS = ["form_id", "feed_id", "entry_id"];

/**
 * Get the runs in a state; due runs are another list, without a filter by entry.
 * @param {string} state
 * @param {Record<string, string>} filters
 * @param {object} query
 */
function getRuns(state, { form_id, feed_id, entry_id }, query) {
  if (state === "due") return list("/runs/due", { form_id, feed_id, ...query });
  return list("/runs", { form_id, feed_id, entry_id, state: state === "all" ? "" : state, ...query });
}

export function RunList({ query }) {
  const state = openTabOf(STATES, query.state);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] || ""]));
  const inputs = Object.values(filters);
  const counts = useLoad(async () => Object.fromEntries(await Promise.all(STATES.map(async ([key]) =>
    [key, await getRuns(key, filters, { per_page: 1, _fields: "id" }).then(({ total }) => total, () => null)]))), inputs);
  const runs = useLoad(() => getRuns(state, filters, { page: query.page, per_page: PER_PAGE }), [state, query.page, ...inputs]);
  const reload = () => {
    counts.reload();
    runs.reload();
  };
  const [replay, , error] = useAction(async (run) => {
    const path = `/feeds/${run.feed_id}/runs/${run.id}`;
    const { data, headers } = await get(path);
    // Refuse to replay a run that has changed since it was shown.
    if (["state", "attempt", "modified"].some((name) => data[name] !== run[name])) throw { message: "This run has changed meanwhile. Nothing was replayed: look at it again." };
    await post(`${path}/replay`, {}, { headers: { "If-Match": headers.get("ETag") } });
    say(`The run of feed ${run.feed_id} for entry ${run.entry_id} is pending: a worker runs it once more.`);
    reload();
  });
  const canReplay = (run) => ENDED.includes(run.state) || (run.state === "claimed" && Date.parse(run.until) < Date.now());
  const columns = [
    { label: "Entry", main: true, cell: (run) => html`<${Link} path="runs" query=${{ state: "all", entry_id: run.entry_id, form_id: run.form_id }}>${run.entry_id}<//>` },
    { label: "Feed", cell: (run) => html`<${Link} path="feeds/${run.feed_id}">Feed ${run.feed_id}<//>, <${Link} path="feeds" query=${{ form_id: run.form_id }}>${formName(run.form_id).toLowerCase()}<//>` },
    { label: "State", cell: (run) => html`<span class="state ${run.state}">${run.state}</span> <span class="hint">attempt ${run.attempt}</span>` },
    { label: "Outcome", kind: "long", cell: (run) => html`${run.code && html`<code>${run.code}</code> `}${run.message}` },
    { label: "Times", cell: (run) => html`<time datetime=${run.modified}>${displayTime(run.modified)}</time>
      <p class="hint">first claimed ${displayTime(run.created)}</p>
      ${run.until && html`<p class="hint">lease until ${displayTime(run.until)}</p>`}${run.retry_at && html`<p class="hint">again from ${displayTime(run.retry_at)}</p>`}` },
    may("runs:write") && { label: "", cell: (run) => canReplay(run) && html`<button aria-label="Replay feed ${run.feed_id} for entry ${run.entry_id}" onClick=${() => replay(run)}>Replay</button>` },
  ];
  return html`<${Screen} title="Runs" actions=${html`<button onClick=${reload}>Refresh</button>`}>
    <${Tabs} label="States of runs" name="state" tabs=${STATES.map(([key, name]) => [key, name, counts.data?.[key]])} />
    <div class="filters"><${Filter} label="Form" name="form_id" query=${query} /><${Filter} label="Feed" name="feed_id" query=${query} />${state !== "due" && html`<${Filter} label="Entry" name="entry_id" query=${query} />`}</div>
    <${Problem} error=${error} />
    <${List} caption="Runs" what="run" state=${runs} columns=${columns} empty=${state === "failed" ? "No run has failed." : "There are no such runs."} />
  <//>`;
}
