import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function RunList() {
  return html`<${Screen} title="Runs"></${Screen}>`;
}
