import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Plan() {
  return html`<${Screen} title="Try an entry"></${Screen}>`;
}
