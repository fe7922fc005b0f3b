import { html } from "./lib.js";
import { Screen } from "./ui.js";

export function Start() {
  return html`<${Screen} title="Start"></${Screen}>`;
}
