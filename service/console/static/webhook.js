import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Webhook() {
  return html`<${Screen} title="Webhook"></${Screen}>`;
}
