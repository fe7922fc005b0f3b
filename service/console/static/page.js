import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Page() {
  return html`<${Screen} title="Page"></${Screen}>`;
}
