import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function WebhookList() {
  return html`<${Screen} title="Webhooks"></${Screen}>`;
}
