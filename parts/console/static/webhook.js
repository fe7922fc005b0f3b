// One webhook: its types of events, secret, tests, deliveries and replays.
import { html, useLoad, useState } from "./lib.js";
import { get, patch, post, remove } from "./api.js";
import { Link, go } from "./address.js";
import { TYPES } from "./events.js";
import { Check, Confirmed, Copied, DateTime, Loaded, Problem, Screen, Table, Text, say, displayTime, useAction } from "./ui.js";
import { stateOf } from "./webhooks.js";

const EMPTY = { url: "", types: ["*"], description: "", active: true };

export function Webhook({ id }) {
  const state = useLoad(async () => (id === "new" ? EMPTY : (await get(`/webhooks/${id}`)).data), [id]);
  return html`<${Loaded} state=${state}>${(stored) => html`<${Editor} ...${{ id, stored, reload: state.reload }} />`}<//>`;
}

function Editor({ id, stored, reload }) {
  const { url, types, description, active } = stored;
  const [values, setValues] = useState({ url, types, description, active });
  const [secret, setSecret] = useState("");
  const isNew = id === "new";
  const set = (name) => (value) => setValues((now) => ({ ...now, [name]: value }));
  const [save, isSaving, error] = useAction(async () => {
    if (isNew) {
      const { data } = await post("/webhooks", values);
      say("The webhook was created. Copy its secret now: it is shown this once.");
      setSecret(data.secret);
      setCreated(data.id);
    } else {
      await patch(`/webhooks/${id}`, values);
      say("The webhook was saved.");
      reload();
    }
  });
  const [created, setCreated] = useState(null);
  const [rotate, isRotating, rotateError] = useAction(async () => {
    setSecret((await post(`/webhooks/${id}/rotate`)).data.secret);
    say("There is another secret. Copy it now: it is shown this once.");
  });
  const [erase, isErasing, eraseError] = useAction(async () => {
    await remove(`/webhooks/${id}`);
    say(`The webhook of ${url} was deleted.`);
    go("webhooks");
  });
  const secretField = secret && html`<${Copied} label="Secret" text=${secret} hint="It is shown only now. The receiver needs it to verify signatures." />`;
  if (created) {
    return html`<${Screen} title="New webhook">${secretField}<p><${Link} path="webhooks/${created}">I have copied it: go on to the webhook<//></p><//>`;
  }
  return html`<${Screen} title=${isNew ? "New webhook" : url} actions=${html`<${Link} path="webhooks">All webhooks<//>`}>
    <${Problem} error=${error || rotateError || eraseError} fields=${["url", "description"]} />
    ${secretField}
    <div class="cards"><section class="card"><h2>What is sent</h2>
      <form onSubmit=${(event) => { event.preventDefault(); save(); }}>
        <${Text} label="URL" name="url" type="url" required value=${values.url} change=${set("url")} error=${error} placeholder="https://example.com/hook" />
        <${Text} label="Description" name="description" value=${values.description} change=${set("description")} error=${error} />
        <${Types} value=${values.types} change=${set("types")} />
        <${Check} label="On" value=${values.active} change=${set("active")} />
        <div class="actions"><button class="main" disabled=${isSaving || !values.types.length}>${isNew ? "Create webhook" : "Save"}</button>
        ${!isNew && html`<${Confirmed} label="Rotate the secret" question="Make another secret? For a day both sign." act=${rotate} disabled=${isRotating} />
          <${Confirmed} class="danger" label="Delete" question="Delete the webhook of ${url}?" act=${erase} disabled=${isErasing} />`}</div>
      </form></section>
      ${!isNew && html`<${Health} ...${{ id, stored, reload }} />`}
    </div>
    ${!isNew && html`<${Deliveries} deliveries=${stored.deliveries} />`}
  <//>`;
}

/** The types of events: all, all of a resource, or single types. */
function Types({ value, change }) {
  const has = (name) => value.includes(name);
  const set = (name, isOn, without = []) => change(isOn ? [...value.filter((type) => !without.includes(type)), name] : value.filter((type) => type !== name));
  return html`<fieldset><legend>Events</legend>
    <${Check} label="All events" value=${has("*")} change=${(isOn) => change(isOn ? ["*"] : ["page.*"])} />
    ${!has("*") && Object.entries(TYPES).map(([group, types]) => html`<${Group} key=${group} ...${{ group, types, has, set }} />`)}
    ${!value.length && html`<p class="hint" role="status">Choose at least one type of event.</p>`}</fieldset>`;
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
  const [test, isTesting, testError] = useAction(async () => {
    setResult((await post(`/webhooks/${id}/test`)).data);
    reload();
  });
  const [replay, isReplaying, replayError] = useAction(async (body) => {
    await post(`/webhooks/${id}/replay`, body);
    say("These events are sent again.");
    reload();
  });
  return html`<section class="card"><h2>How it is</h2>
    <p>${stateOf(stored)}</p>
    <p class="hint">${stored.delivered} delivered, ${stored.failed} failed attempts, ${stored.waiting} waiting.</p>
    <${Problem} error=${testError || replayError} fields=${["after", "since"]} />
    <p><button type="button" disabled=${isTesting} onClick=${test}>Send a test</button></p>
    ${result && html`<p role="status">The test: ${result.status ? `status ${result.status}` : "no response"} after ${result.milliseconds} ms. ${result.response}</p>`}
    <h3>Send again</h3>
    ${stored.set_aside.length > 0 && html`<p>Set aside: ${stored.set_aside.slice(0, 20).join(", ")}. <button type="button" disabled=${isReplaying} onClick=${() => replay({})}>Send those again</button></p>`}
    <form onSubmit=${(event) => { event.preventDefault(); replay(after ? { after: +after } : { since }); }}>
      <${Text} label="All events after the id" name="after" type="number" min="0" value=${after} change=${setAfter} error=${replayError} />
      <${DateTime} label="Or all since" name="since" value=${since} change=${setSince} error=${replayError} needsTime />
      <button disabled=${isReplaying || !(after || since)}>Send again</button>
    </form></section>`;
}

function Deliveries({ deliveries }) {
  const columns = [
    { label: "Time", main: true, cell: ({ time }) => displayTime(time) },
    { label: "Event", cell: ({ event }) => (event ? html`<${Link} path="events" query=${{ before: event + 1 }}>${event}<//>` : "test") },
    { label: "Status", cell: ({ status }) => status || "no response" },
    { label: "Milliseconds", cell: ({ milliseconds }) => milliseconds },
    { label: "Response", cell: ({ response }) => response },
  ];
  return html`<h2>Last deliveries</h2><${Table} caption="Last deliveries" columns=${columns} rows=${deliveries} rowKey=${({ event, time }) => `${event} ${time}`} empty="Nothing was sent yet." />`;
}
