import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function PageList() {
  return html`<${Screen} title="Pages"></${Screen}>`;
}
