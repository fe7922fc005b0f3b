import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Feed() {
  return html`<${Screen} title="Feed"></${Screen}>`;
}
