import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Revisions() {
  return html`<${Screen} title="History"></${Screen}>`;
}
