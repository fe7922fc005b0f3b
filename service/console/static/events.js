import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function EventList() {
  return html`<${Screen} title="Events"></${Screen}>`;
}
