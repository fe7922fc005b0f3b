// The list of webhooks, with their health.
import { html, useLoad } from "./lib.js";
import { list, patch } from "./api.js";
import { Link } from "./address.js";
import { Check, Loaded, Problem, Screen, Table, say, displayTime, useAction } from "./ui.js";

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
