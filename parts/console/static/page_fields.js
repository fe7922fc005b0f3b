// The fields of a page and of its meta.
import { html } from "./lib.js";
import { timezone } from "./api.js";
import { Content } from "./content.js";
import { Choice, DateTime, Json, LongText, Text } from "./ui.js";

const STATUSES = [["draft", "Draft"], ["publish", "Published, from its date on"], ["pending", "Pending"], ["private", "Private"]];
/** The fields that show their own messages. */
export const SHOWN_FIELDS = [
  "title", "content", "slug", "status", "date", "password", "author", "starts_at", "ends_at", "form_id",
  "language", "gallery", "viral_share", "instant_win",
];

const isText = (list) => list.every((item) => typeof item === "string" && !/[,\n]/.test(item));
const isLines = (list) => list.every((item) => typeof item === "string" && !item.includes("\n"));

/** A list of texts, separated by commas or in lines. A list with other values is edited as JSON. */
function Texts({ value, change, lines, onProblem, ...attrs }) {
  const fits = lines ? isLines : isText;
  if (!Array.isArray(value) || !fits(value)) return html`<${Json} ...${attrs} value=${value} change=${change} onProblem=${onProblem} />`;
  const separator = lines ? "\n" : ",";
  // The user may have typed a separator at the end.
  const split = (text) => text.split(separator).map((item) => (lines ? item : item.replace(/^ /, "")));
  const clean = (event) => change(event.target.value.split(separator).map((item) => item.trim()).filter(Boolean));
  const control = lines ? LongText : Text;
  return html`<${control} ...${attrs} value=${value.join(lines ? "\n" : ", ")} change=${(text) => change(text ? split(text) : [])} onBlur=${clean} rows="3" />`;
}

export function PageFields({ values, error, page, disabled, change, onProblem }) {
  const field = (name) => ({ name, error, value: values[name], change: (value) => change({ [name]: value }) });
  const meta = (name) => ({ name, error, value: values.meta[name], change: (value) => change({ meta: { [name]: value } }), onProblem: onProblem(name) });
  const statuses = values.status === "trash" ? [["trash", "In the trash"], ...STATUSES] : STATUSES;
  return html`<fieldset class="bare" disabled=${disabled}>
    <${Text} label="Title" ...${field("title")} required />
    <${Content} ...${field("content")} />
    <${Text} label="Slug" hint="The part of the address that names the page; empty: made of the title" ...${field("slug")} />
    <div class="pairs">
      <${Choice} label="Status" ...${field("status")} options=${statuses} />
      <${DateTime} label="Date (${timezone})" hint="Later: the page is scheduled. Empty: now" ...${field("date")} needsTime />
      <${DateTime} label="Starts at" hint="Before, visitors do not find the page" ...${meta("starts_at")} />
      <${DateTime} label="Ends at" hint="From then on, visitors read that it has ended. A day counts as a whole" ...${meta("ends_at")} />
      <${Text} label="Password" hint="Visitors need it to see the content" ...${field("password")} autocomplete="new-password" />
      <${Text} label="Author (number)" type="number" min="1" hint=${page ? "" : "Empty: you"} ...${field("author")} change=${(text) => change({ author: text && +text })} />
      <${Text} label="Form" inputmode="numeric" hint="The id of the form on the page" ...${meta("form_id")} />
      <${Texts} label="Languages" hint="Codes with commas between, such as en, de" ...${meta("language")} />
    </div>
    <${Texts} label="Gallery" hint="The address of one picture in each line" lines ...${meta("gallery")} />
    <details><summary>More meta, as JSON</summary>
      <${Json} label="viral_share" ...${meta("viral_share")} />
      <${Json} label="instant_win" ...${meta("instant_win")} />
    </details>
  </fieldset>`;
}
