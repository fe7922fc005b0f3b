// The list of runs, failed ones first, and their replay.
import { html, useLoad } from "./lib.js";
import { get, list, post } from "./api.js";
import { Link } from "./address.js";
import { formName } from "./feeds.js";
import { may } from "./session.js";
import { Filter, List, Problem, Screen, Tabs, say, displayTime, openTabOf, useAction } from "./ui.js";

const STATES = [["failed", "Failed"], ["due", "Due"], ["claimed", "Claimed"], ["pending", "Pending"], ["success", "Success"], ["skipped", "Skipped"], ["all", "All"]];
const ENDED = ["success", "skipped", "failed"];
const FILTERS = ["form_id", "feed_id", "entry_id"];
const PER_PAGE = 50;

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
