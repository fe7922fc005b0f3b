// The log of events, the newest first; and the webhooks that they are sent to: their health, and one webhook with its
// types of events, secret, tests, deliveries and replays.
import { Link, go, html, instead, refine, useEffect, useLoad, useState } from "./lib.js";
import { get, hasPart, list, patch, post, remove } from "./api.js";
import { Bar, useDocument } from "./document.js";
import { useNames } from "./feeds.js";
import { Check, Choice, Confirmed, Copied, DateTime, Loaded, Problem, Screen, Table, Text, displayTime, say, useAction } from "./ui.js";

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
  ...(hasPart("media") && { "media.*": ["media.created", "media.updated", "media.deleted"] }),
  "store.*": ["store.imported", "store.restored"],
};
const CHOICES = [["", "All"], ...Object.entries(TYPES).flat(2)];

/** The subject of an event, with a link unless it was deleted; `names` are those of `useNames`. */
function Subject({ event: { type, data }, names }) {
  const { resource, id, slug, form_id, feed_id, entry_id } = data;
  if (type.endsWith(".deleted")) return `${resource} ${id}`;
  if (resource === "page") return html`<${Link} path="pages/${id}">page ${id}${slug && `, ${slug}`}<//>`;
  if (resource === "feed" && id) return html`<${Link} path="feeds/${id}">${names.feed(id)}<//>, ${names.form(form_id)}`;
  if (resource === "feed") return html`feeds of <${Link} path="feeds" query=${{ form_id }}>${names.form(form_id)}<//>`;
  if (resource === "form") return html`<${Link} path="forms/${id}">${names.form(id)}<//>`;
  if (resource === "entry") return html`<${Link} path="entries/${id}">${names.entry({ form_id, entry_id: id })}<//>, ${names.form(form_id)}`;
  if (resource === "run") {
    const text = `${names.feed(feed_id)}, ${names.entry(data)}`;
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
  const names = useNames((state.data?.data || []).map(({ data }) => (data.resource === "entry" ? { form_id: data.form_id, entry_id: data.id } : data)));
  useEffect(() => {
    if (!follows) return undefined;
    const timer = setInterval(() => document.hidden || state.reload(), FOLLOW_MILLISECONDS);
    return () => clearInterval(timer);
  }, [follows, state.reload]);
  const columns = [
    { label: "Number", cell: ({ id }) => id },
    { label: "Event", main: true, cell: (event) => event.type },
    { label: "About", cell: (event) => html`<${Subject} ...${{ event, names }} />` },
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

/** Return sentences about the health of a webhook. */
export function stateOf({ active, reason, failures, next_try }) {
  if (!active) return `Off. ${reason}`;
  if (!failures) return `Works. ${reason}`;
  return `${failures === 1 ? "1 attempt has" : `${failures} attempts have`} failed${next_try ? `; the next is at ${displayTime(next_try)}` : ""}. ${reason}`;
}

export function WebhookList() {
  const state = useLoad(() => list("/webhooks"));
  const [toggle, isRunning, error] = useAction(async ({ id, url }, active) => {
    await patch(`/webhooks/${id}`, { active });
    say(`${url} is ${active ? "on: it goes on where it stood" : "off"}.`);
    state.reload();
  });
  const columns = [
    { label: "Receiver", main: true, cell: ({ id, url, description }) => html`<${Link} path="webhooks/${id}">${url}<//>${description && html`<p class="hint">${description}</p>`}` },
    { label: "Types", cell: ({ types }) => types.join(", ") },
    { label: "State", kind: "long", cell: stateOf },
    { label: "Waiting", cell: ({ waiting }) => waiting.toLocaleString("en") },
    { label: "On", cell: (webhook) => html`<${Check} label="On" value=${webhook.active} disabled=${isRunning} change=${(active) => toggle(webhook, active)} aria-label="On: ${webhook.url}" />` },
  ];
  return html`<${Screen} title="Webhooks" actions=${html`<${Link} class="button main" path="webhooks/new">New webhook<//>`}>
    <${Problem} error=${error} />
    <${Loaded} state=${state}>${({ items }) => html`<${Table} caption="Webhooks" columns=${columns} rows=${items}
      empty="There are no webhooks. A webhook is a URL that events are sent to, such as that a page was published." />`}<//>
  <//>`;
}

const EMPTY = { url: "", types: ["*"], description: "", active: true };

export function Webhook({ id }) {
  const state = useLoad(async () => (id === "new" ? EMPTY : (await get(`/webhooks/${id}`)).data), [id]);
  return html`<${Loaded} state=${state}>${(stored) => html`<${Editor} ...${{ id, stored, reload: state.reload }} />`}<//>`;
}

const valuesOf = ({ url, types, description, active }) => ({ url, types, description, active });

function Editor({ id, stored, reload }) {
  const { url } = stored;
  const [secret, setSecret] = useState("");
  const [created, setCreated] = useState(null);
  const isNew = id === "new";
  // No draft: the URL may hold a secret. Webhooks have no version: only changed fields are sent.
  const edited = useDocument({
    stored: { values: valuesOf(stored) }, load: null, saved: "The webhook was saved.", labels: { url: "URL", description: "Description", active: "On" },
    send: async (values, changes, before, close) => {
      if (!values.types.length) throw { message: "Nothing was saved.", params: { types: "Choose at least one type of event." } };
      if (!isNew) {
        const { data } = await patch(`/webhooks/${id}`, changes);
        reload();
        return { values: valuesOf(data) };
      }
      const { data } = await post("/webhooks", values);
      close();
      say("The webhook was created. Copy its secret now: it is shown this once.");
      setSecret(data.secret);
      setCreated(data.id);
      return null;
    },
  });
  const { field } = edited;
  const [run, isRunning, runError] = useAction();
  const rotate = () => run(async () => {
    setSecret((await post(`/webhooks/${id}/rotate`)).data.secret);
    say("There is another secret. Copy it now: it is shown this once.");
  });
  const erase = () => run(async () => {
    await remove(`/webhooks/${id}`);
    edited.close();
    go("webhooks");
    say(`The webhook of ${url} was deleted.`);
  });
  const secretField = secret && html`<${Copied} label="Secret" text=${secret} hint="It is shown only now. The receiver needs it to verify signatures." />`;
  if (created) {
    return html`<${Screen} title="New webhook">${secretField}<p><${Link} path="webhooks/${created}">I have copied it: go on to the webhook<//></p><//>`;
  }
  return html`<${Screen} title=${isNew ? "New webhook" : url} actions=${html`<${Link} path="webhooks">All webhooks<//>`}>
    <${Bar} document=${edited} state=${isNew ? "New" : stored.active ? "On" : "Off"} fields=${["url", "description", "types"]} label=${isNew ? "Create webhook" : "Save"} />
    <${Problem} error=${runError} />
    ${secretField}
    <div class="cards"><section class="card"><h2>What is sent</h2>
      <form onSubmit=${instead(edited.save)}>
        <${Text} ...${field("url")} type="url" required placeholder="https://example.com/hook" />
        <${Text} ...${field("description")} />
        <${Types} ...${field("types")} />
        <${Check} ...${field("active")} />
        <div class="actions">${!isNew && html`<${Confirmed} label="Rotate the secret" question="Make another secret? For a day both sign." act=${rotate} disabled=${isRunning} />
          <${Confirmed} class="danger" label="Delete" question="Delete the webhook of ${url}?" act=${erase} disabled=${isRunning} />`}</div>
      </form></section>
      ${!isNew && html`<${Health} ...${{ id, stored, reload }} />`}
    </div>
    ${!isNew && html`<${Deliveries} deliveries=${stored.deliveries} />`}
  <//>`;
}

/** The types of events: all, all of a resource, or single types. */
function Types({ value, change, error }) {
  const has = (name) => value.includes(name);
  const set = (name, isOn, without = []) => change(isOn ? [...value.filter((type) => !without.includes(type)), name] : value.filter((type) => type !== name));
  return html`<fieldset aria-invalid=${error?.params?.types ? "true" : undefined}><legend>Events</legend>
    <${Check} label="All events" value=${has("*")} change=${(isOn) => change(isOn ? ["*"] : ["page.*"])} />
    ${!has("*") && Object.entries(TYPES).map(([group, types]) => html`<${Group} key=${group} ...${{ group, types, has, set }} />`)}
    ${(error?.params?.types || !value.length) && html`<p class=${error?.params?.types ? "field-error" : "hint"} role="status">Choose at least one type of event.</p>`}</fieldset>`;
}

/** The types of one resource, open at first if some of them are chosen. */
function Group({ group, types, has, set }) {
  const resource = group.split(".")[0];
  const [isOpen] = useState([group, ...types].some(has));
  return html`<details open=${isOpen}><summary>${resource}</summary>
    <${Check} label="All of ${resource}" value=${has(group)} change=${(isOn) => set(group, isOn, types)} />
    ${!has(group) && types.map((type) => html`<${Check} label=${type} value=${has(type)} change=${(isOn) => set(type, isOn)} />`)}</details>`;
}

/** The health of a webhook, its test, and replays. */
function Health({ id, stored, reload }) {
  const [result, setResult] = useState(null);
  const [after, setAfter] = useState("");
  const [since, setSince] = useState("");
  const [run, isRunning, error] = useAction();
  const test = () => run(async () => {
    setResult((await post(`/webhooks/${id}/test`)).data);
    reload();
  });
  const replay = (body) => run(async () => {
    await post(`/webhooks/${id}/replay`, body);
    say("These events are sent again.");
    reload();
  });
  return html`<section class="card"><h2>How it is</h2>
    <p>${stateOf(stored)}</p>
    <p class="hint">${stored.delivered} delivered, ${stored.failed} failed attempts, ${stored.waiting} waiting.</p>
    <${Problem} error=${error} fields=${["after", "since"]} />
    <p><button type="button" disabled=${isRunning} onClick=${test}>Send a test</button></p>
    ${result && html`<p role="status">The test: ${result.status ? `status ${result.status}` : "no response"} after ${result.milliseconds} ms. ${result.response}</p>`}
    <h3>Send again</h3>
    ${stored.set_aside.length > 0 && html`<p>Set aside: ${stored.set_aside.slice(0, 20).join(", ")}. <button type="button" disabled=${isRunning} onClick=${() => replay({})}>Send those again</button></p>`}
    <form onSubmit=${instead(() => replay(after ? { after: +after } : { since }))}>
      <${Text} label="All events after the id" name="after" type="number" min="0" value=${after} change=${setAfter} error=${error} />
      <${DateTime} label="Or all since" name="since" value=${since} change=${setSince} error=${error} needsTime />
      <button disabled=${isRunning || !(after || since)}>Send again</button>
    </form></section>`;
}

function Deliveries({ deliveries }) {
  const columns = [
    { label: "Time", main: true, cell: ({ time }) => displayTime(time) },
    { label: "Event", cell: ({ event }) => (event ? html`<${Link} path="events" query=${{ before: event + 1 }}>${event}<//> <${Payload} id=${event} />` : "test") },
    { label: "Status", cell: ({ status }) => status || "no response" },
    { label: "Milliseconds", cell: ({ milliseconds }) => milliseconds },
    { label: "Response", cell: ({ response }) => response },
  ];
  return html`<h2>Last deliveries</h2><${Table} caption="Last deliveries" columns=${columns} rows=${deliveries} rowKey=${({ event, time }) => `${event} ${time}`} empty="Nothing was sent yet." />`;
}

/** What is sent of an event, loaded once it is asked for. */
function Payload({ id }) {
  const [text, setText] = useState(null);
  const [show, isRunning, error] = useAction(async () => {
    const { data } = await get("/events", { after: id - 1, per_page: 1 });
    setText(data[0]?.id === id ? JSON.stringify(data[0], null, 2) : "This event is not stored any more.");
  });
  if (text !== null) return html`<pre class="payload">${text}</pre>`;
  return html`<button type="button" class="plain" aria-label="Payload of event ${id}" disabled=${isRunning} onClick=${show}>Payload</button><${Problem} error=${error} />`;
}
