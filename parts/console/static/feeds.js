// The list of forms with feeds; the feeds of one form: their order, copies and deletion; and their runs, failed ones first.
import { Link, counted, go, html, instead, useEffect, useLoad, useRef, useState } from "./lib.js";
import { additions, batch, call, create, get, list, may, patch, post, put } from "./api.js";
import { feedName, formName, getFeedNames, isOn } from "./feed.js";
import { Check, Confirmed, Dialog, Filter, List, Loaded, Problem, Screen, Table, Tabs, Text, displayTime, openTabOf, say, useAction } from "./ui.js";

const FIELDS = "id,is_active,addon_slug,event_type,meta.feedName,meta.feed_condition_conditional_logic";
const PER_PAGE = 100;
/** Get the titles of the stored forms by their ids. */
const getTitles = async () => (additions.getTitles ? additions.getTitles() : {});

/**
 * Return functions that name the feeds, forms and entries of rows, which have `feed_id`, `form_id` and
 * `entry_id`, as far as the caller may read them.
 */
export function useNames(rows) {
  const key = JSON.stringify(rows.map(({ feed_id, form_id, entry_id }) => [feed_id, form_id, entry_id]));
  const { data: [feeds, forms, entries] = [{}, {}, {}] } = useLoad(async () =>
    (rows.length ? Promise.all([may("feeds:read") ? getFeedNames() : {}, getTitles(), additions.getEntryNames?.(rows) || {}]) : undefined), [key]);
  return {
    feed: (id) => feeds[id] || `Feed ${id}`, form: (id) => formName(id, forms),
    entry: ({ form_id, entry_id }) => entries[`${form_id}/${entry_id}`] || `Entry ${entry_id}`,
  };
}

export function FeedList({ query }) {
  return query.form_id ? html`<${FormFeeds} key=${query.form_id} formId=${query.form_id} />` : html`<${Forms} page=${+query.page || 1} />`;
}

/** The forms that have feeds, with the number of their feeds. */
function Forms({ page }) {
  const [form, setForm] = useState("");
  const state = useLoad(async () => {
    const [{ items }, titles] = await Promise.all([list("/feeds", { _fields: "form_id,is_active" }), getTitles()]);
    const forms = new Map();
    for (const { form_id, is_active } of items) {
      const known = forms.get(form_id) || { id: form_id, name: formName(form_id, titles), feeds: 0, active: 0 };
      forms.set(form_id, { ...known, feeds: known.feeds + 1, active: known.active + Number(is_active) });
    }
    const sorted = [...forms.values()].sort((a, b) => a.id - b.id);
    return { items: sorted.slice((page - 1) * PER_PAGE, page * PER_PAGE), total: sorted.length, pages: Math.ceil(sorted.length / PER_PAGE) };
  }, [page]);
  const columns = [
    { label: "Form", main: true, cell: ({ id, name }) => html`<${Link} path="feeds" query=${{ form_id: id }}>${name}<//>` },
    { label: "Feeds", cell: ({ feeds }) => feeds }, { label: "Active", cell: ({ active }) => active },
    { label: "", cell: ({ id, name }) => html`<${Link} path="plan" query=${{ form_id: id }} aria-label="Try an entry of ${name}">Try an entry<//>` },
  ];
  return html`<${Screen} title="Feeds" actions=${may("feeds:write") && html`<${Link} class="button main" path="feeds/new">New feed<//>`}>
    <form class="inline" onSubmit=${instead(() => go("feeds", { form_id: form.trim() }))}><${additions.FormField || Text} label="Form" name="form_id" none="All forms" inputmode="numeric" pattern="[0-9]+" required value=${form} change=${setForm} /><button>Open</button></form>
    <${List} caption="Forms that have feeds" what="form" ...${{ state, columns }} empty="No form has feeds. A feed says what happens with a submission of a form." />
  <//>`;
}

/** The feeds of a form, in the order in which they run. */
function FormFeeds({ formId }) {
  const { data: titles } = useLoad(getTitles);
  const title = `Feeds of ${titles?.[formId] || formName(formId).toLowerCase()}`;
  const state = useLoad(() => list(`/forms/${encodeURIComponent(formId)}/feeds`, { _fields: FIELDS }), [formId]);
  return html`<${Screen} title=${title} actions=${html`<${Link} class="button" path="plan" query=${{ form_id: formId }}>Try an entry<//>
      ${may("feeds:write") && html` <${Link} class="button main" path="feeds/new" query=${{ form_id: formId }}>New feed<//>`}`}>
    <p><${Link} path="feeds">All feeds<//></p>
    <${Loaded} state=${state}>${(loaded) => html`<${Rows} ...${{ formId, loaded, reload: state.reload }} />`}<//>
  <//>`;
}

function Rows({ formId, loaded, reload }) {
  const { rows, move, error } = useOrder(formId, loaded);
  const [dialog, setDialog] = useState(null);
  const dragged = useRef(null);
  const mayWrite = may("feeds:write");
  const [turn, , turnError] = useAction(async (feed, isActive) => {
    // Only one field is written, so the version does not matter.
    await patch(`/feeds/${feed.id}`, { is_active: isActive }, { headers: { "If-Match": "*" } });
    say(`${feedName(feed)} is ${isActive ? "on" : "off"}.`);
    reload();
  });
  const step = (feed, by) => move(feed.id, rows.indexOf(feed) + by);
  const keys = (feed) => (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey) return;
    event.preventDefault();
    step(feed, by);
  };
  const drag = (feed) => (event) => {
    dragged.current = feed.id;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", feedName(feed));
    event.dataTransfer.setDragImage(event.target.closest("tr"), 0, 0);
  };
  const over = (place) => ({
    onDragOver: (event) => { if (dragged.current) event.preventDefault(); },
    onDrop: (event) => { event.preventDefault(); if (dragged.current) move(dragged.current, place); dragged.current = null; },
  });
  const columns = [
    mayWrite && { label: "", heading: "Order", cell: (feed) => html`<div class="order">
        <span class="handle" role="button" tabindex="0" draggable="true" aria-label="Move ${feedName(feed)}: drag, or press Alt and an arrow key" onDragStart=${drag(feed)} onKeyDown=${keys(feed)}>⠿</span>
        <button aria-label="Up: ${feedName(feed)}" aria-disabled=${rows[0] === feed || undefined} onClick=${() => step(feed, -1)}>↑</button>
        <button aria-label="Down: ${feedName(feed)}" aria-disabled=${rows.at(-1) === feed || undefined} onClick=${() => step(feed, 1)}>↓</button></div>` },
    { label: "Feed", main: true, cell: (feed) => html`<${Link} path="feeds/${feed.id}">${feedName(feed)}<//>` },
    { label: "Add-on", cell: (feed) => html`${feed.addon_slug}${feed.event_type && html` <span class="hint">for ${feed.event_type}</span>`}` },
    { label: "Runs", cell: (feed) => (isOn(feed.meta) ? "where its rules match" : "for every entry") },
    { label: "", heading: "Active", cell: (feed) => (mayWrite ? html`<${Check} label="Active" aria-label="Active: ${feedName(feed)}" value=${feed.is_active === "1"} change=${(isActive) => turn(feed, isActive)} />` : feed.is_active === "1" ? "On" : "Off") },
    mayWrite && { label: "", heading: "", cell: (feed) => html`<div class="actions"><button aria-label="Duplicate ${feedName(feed)}" onClick=${() => setDialog({ Act: Copy, feed })}>Duplicate</button>
        <button class="danger" aria-label="Delete ${feedName(feed)}" onClick=${() => setDialog({ Act: Deletion, feed })}>Delete</button></div>` },
  ];
  return html`<${Problem} error=${error || turnError} />${error && html`<p><button onClick=${reload}>Load the feeds anew</button></p>`}
    <${Table} caption="Feeds in the order in which they run" columns=${columns} rows=${rows} rowProps=${mayWrite ? (feed) => over(rows.indexOf(feed)) : undefined} empty="This form has no feeds. A feed says what happens with a submission, such as a mail to you." />
    ${dialog && html`<${dialog.Act} feed=${dialog.feed} formId=${formId} close=${() => setDialog(null)} done=${reload} />`}`;
}

/** The order of the feeds: a move is shown at once, and only one order is saved at a time. */
function useOrder(formId, loaded) {
  const [rows, setRows] = useState(loaded.items);
  const [error, setError] = useState(null);
  const path = `/forms/${encodeURIComponent(formId)}/feeds`;
  // `rows` as they are shown; `stored`: the last known stored order, with its `etag`; `next`: the next order to save, or null.
  const order = useRef({}).current;
  useEffect(() => {
    Object.assign(order, { etag: loaded.etag, stored: loaded.items.map(({ id }) => id), next: null });
    setRows(loaded.items);
    setError(null);
  }, [loaded]);
  order.rows = rows;
  const save = async (text) => {
    order.isSaving = true;
    try {
      while (order.next) {
        const ids = order.next;
        order.next = null;
        const write = (etag) => put(`${path}/order`, ids, { query: { _fields: "id" }, headers: { "If-Match": etag } });
        const { headers } = await write(order.etag).catch(async (failure) => {
          if (failure.status !== 412) throw failure;
          // Feeds of other forms change the ETag too: only the order of this form matters.
          const now = await list(path, { _fields: "id" });
          if (String(now.items.map(({ id }) => id)) !== String(order.stored)) throw failure;
          return write(now.etag);
        });
        Object.assign(order, { etag: headers.get("ETag"), stored: ids });
        say(text());
      }
    } catch (failure) {
      setError(failure.status !== 412 ? failure : { message: "The order was not saved: somebody else has changed feeds meanwhile. Nothing was overwritten." });
    } finally {
      order.isSaving = false;
    }
  };
  const move = (id, place) => {
    const from = order.rows.findIndex((feed) => feed.id === id);
    if (from < 0 || place < 0 || place >= order.rows.length || place === from) return;
    const next = order.rows.filter((feed) => feed.id !== id);
    next.splice(place, 0, order.rows[from]);
    order.rows = next;
    setRows(next);
    order.next = next.map((feed) => Number(feed.id));
    if (!order.isSaving) save(() => `${feedName(next[place])} is number ${order.rows.findIndex((feed) => feed.id === id) + 1} of ${next.length}.`);
  };
  return { rows, move, error };
}

/** The dialog to copy a feed into a form. */
export function Copy({ feed, formId, close, done }) {
  const [form, setForm] = useState(formId);
  const [copy, , error] = useAction(async () => {
    const { data } = await create(`/feeds/${feed.id}/duplicate`, { form_id: form.trim() });
    close();
    say(`Feed ${data.id} is a copy in form ${data.form_id}. It is off.`);
    if (String(data.form_id) === formId) done();
    else go("feeds", { form_id: data.form_id });
  });
  return html`<${Dialog} title="Duplicate ${feedName(feed)}" close=${close}><form onSubmit=${instead(copy)}>
    <${Problem} error=${error} fields=${["form_id"]} />
    <${Text} label="Into the form" name="form_id" inputmode="numeric" pattern="[0-9]+" required error=${error} value=${form} change=${setForm} hint="The copy is off until you switch it on." />
    <div class="actions"><button class="main">Duplicate</button><button type="button" onClick=${close}>Cancel</button></div>
  </form><//>`;
}

/** The dialog to delete a feed, in the version that it shows. */
function Deletion({ feed, close, done }) {
  const state = useLoad(() => get(`/feeds/${feed.id}`));
  const [erase, , error] = useAction(async () => {
    await call("DELETE", `/feeds/${feed.id}`, { headers: { "If-Match": state.data.headers.get("ETag") } });
    close();
    say(`Feed ${feed.id} was deleted.`);
    done();
  });
  const problem = error?.status === 412 ? { message: "Somebody else has saved this feed meanwhile. Nothing was deleted: close this and look at it again." } : error;
  return html`<${Dialog} title="Delete ${feedName(feed)}?" close=${close}><${Problem} error=${problem} />
    <${Loaded} state=${state}>${({ data }) => html`<p>Feed ${data.id}, ${data.addon_slug}, ${data.is_active === "1" ? "which is on" : "which is off"}. It cannot be brought back.</p>`}<//>
    <div class="actions"><button type="button" class="danger" disabled=${!state.data || Boolean(error)} onClick=${erase}>Delete</button><button type="button" onClick=${close} autofocus>Cancel</button></div>
  <//>`;
}

const RUNS_PER_PAGE = 50;
const STATES = [["failed", "Failed"], ["due", "Due"], ["claimed", "Claimed"], ["pending", "Pending"], ["success", "Success"], ["skipped", "Skipped"], ["all", "All"]];
export const ENDED = ["success", "skipped", "failed"];
/** The columns of every table of runs. */
export const RUN_COLUMNS = [
  { label: "State", cell: (run) => html`<span class="state ${run.state}">${run.state}</span> <span class="hint">attempt ${run.attempt}</span>` },
  { label: "Outcome", kind: "long", cell: (run) => html`${run.code && html`<code>${run.code}</code> `}${run.message}` },
];
const FILTERS = ["form_id", "feed_id", "entry_id"];
// How many runs are repeated at a time, and by one request.
const [MOST_REPEATED, MOST_IN_BATCH] = [100, 25];

/** A button that replays a run; it asks before it repeats a success. */
export const Replay = ({ state, label, act, disabled = false }) => (state === "success"
  ? html`<${Confirmed} label="Replay" aria-label=${label} disabled=${disabled} act=${act} question="This run was a success. Repeat it, with the mail that was sent?" />`
  : html`<button aria-label=${label} disabled=${disabled} onClick=${act}>Replay</button>`);

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
  const runs = useLoad(() => getRuns(state, filters, { page: query.page, per_page: RUNS_PER_PAGE }), [state, query.page, ...inputs]);
  const names = useNames(runs.data?.items || []);
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
  const [repeatAll, isRepeating, repeatError] = useAction(async () => {
    const { items } = await getRuns("failed", filters, { per_page: MOST_REPEATED, _fields: "id,feed_id" });
    let repeated = 0;
    for (let first = 0; first < items.length; first += MOST_IN_BATCH) {
      const responses = await batch(items.slice(first, first + MOST_IN_BATCH).map(({ id, feed_id }) => ({ path: `/feeds/${feed_id}/runs/${id}/replay` })));
      repeated += responses.filter(({ status }) => status === 200).length;
    }
    say(`${counted(repeated, "run")} of ${items.length} ${repeated === 1 ? "is" : "are"} pending.`);
    reload();
  });
  const failed = runs.data?.total;
  const canReplay = (run) => ENDED.includes(run.state) || (run.state === "claimed" && Date.parse(run.until) < Date.now());
  const columns = [
    { label: "Entry", main: true, cell: (run) => html`<${Link} path="runs" query=${{ state: "all", entry_id: run.entry_id, form_id: run.form_id }}>${names.entry(run)}<//>` },
    { label: "Feed", cell: (run) => html`<${Link} path="feeds/${run.feed_id}">${names.feed(run.feed_id)}<//>, <${Link} path="feeds" query=${{ form_id: run.form_id }}>${names.form(run.form_id)}<//>` },
    ...RUN_COLUMNS,
    { label: "Times", cell: (run) => html`<time datetime=${run.modified}>${displayTime(run.modified)}</time>
      <p class="hint">first claimed ${displayTime(run.created)}</p>
      ${run.until && html`<p class="hint">lease until ${displayTime(run.until)}</p>`}${run.retry_at && html`<p class="hint">again from ${displayTime(run.retry_at)}</p>`}` },
    may("runs:write") && { label: "", cell: (run) => canReplay(run) && html`<${Replay} state=${run.state} label="Replay feed ${run.feed_id} for entry ${run.entry_id}" act=${() => replay(run)} />` },
  ];
  return html`<${Screen} title="Runs" actions=${html`${state === "failed" && failed > 0 && may("runs:write") && html`<${Confirmed} label="Repeat all that failed" disabled=${isRepeating} act=${repeatAll}
      question=${failed > MOST_REPEATED ? `Repeat the newest ${MOST_REPEATED} of ${counted(failed, "failed run")}?` : `Repeat ${counted(failed, "failed run")}? Mails that reached some of their addresses are sent to all.`} />`} <button onClick=${reload}>Refresh</button>`}>
    <${Tabs} label="States of runs" name="state" tabs=${STATES.map(([key, name]) => [key, name, counts.data?.[key]])} />
    <div class="filters"><${Filter} label="Form" name="form_id" query=${query} /><${Filter} label="Feed" name="feed_id" query=${query} />${state !== "due" && html`<${Filter} label="Entry" name="entry_id" query=${query} />`}</div>
    <${Problem} error=${error || repeatError} />
    <${List} caption="Runs" what="run" state=${runs} columns=${columns} empty=${state === "failed" ? "No run has failed." : "There are no such runs."} />
  <//>`;
}
