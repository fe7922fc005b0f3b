import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function FeedList() {
  return html`<${Screen} title="Feeds"></${Screen}>`;
}
