// The fields of a page and of its meta.
import { html } from "./lib.js";
import { timezone } from "./api.js";
import { Content } from "./content.js";
import { additions } from "./session.js";
import { Choice, DateTime, Json, LongText, Text, Values, displayTime } from "./ui.js";

const STATUSES = [["draft", "Draft"], ["publish", "Published, from its date on"], ["pending", "Pending"], ["private", "Private"]];
/** The labels of fields by their paths. */
export const LABELS = {
  title: "Title", content: "Content", slug: "Slug", status: "Status", date: `Date (${timezone})`, password: "Password", author: "Author (number)",
  "meta.starts_at": "Starts at", "meta.ends_at": "Ends at", "meta.form_id": "Form", "meta.language": "Languages", "meta.gallery": "Gallery",
  "meta.viral_share": "viral_share", "meta.instant_win": "instant_win",
};
/** The fields that show their own messages. */
export const SHOWN_FIELDS = Object.keys(LABELS).map((path) => path.replace("meta.", ""));

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

/** The fields of a page for those who may only read it. */
export function Described({ page, values: { date, meta } }) {
  const more = ["starts_at", "ends_at", "form_id", "language", "gallery"].map((name) => [LABELS[`meta.${name}`], [meta[name]].flat().map(String).join(", ")]);
  return html`<${Values} pairs=${[["Address", html`<a href=${page.link}>${page.link}</a>`], [LABELS.date, displayTime(date)], ...more]} />`;
}

export function PageFields({ values, error, page, change, onProblem }) {
  const field = (name) => ({ name, error, label: LABELS[name], value: values[name], change: (value) => change({ [name]: value }) });
  const meta = (name) => ({ name, error, label: LABELS[`meta.${name}`], value: values.meta[name], change: (value) => change({ meta: { [name]: value } }), onProblem: onProblem(name) });
  const statuses = values.status === "trash" ? [["trash", "In the trash"], ...STATUSES] : STATUSES;
  return html`<${Text} ...${field("title")} required />
    <${Content} ...${field("content")} />
    <${Text} hint="The part of the address that names the page; empty: made of the title" ...${field("slug")} />
    <div class="pairs">
      <${Choice} ...${field("status")} options=${statuses} />
      <${additions.FormField || Text} inputmode="numeric" hint="The form on the page" none="No form" ...${meta("form_id")} />
    </div>
    ${additions.FormField && !values.meta.form_id && values.content.includes("[gravityform]") && html`<p class="field-error">The content shows a form at [gravityform], and none is chosen.</p>`}
    <${DateTime} hint="Later: the page is scheduled. Empty: now" ...${field("date")} needsTime />
    <${DateTime} hint="Before, visitors do not find the page" ...${meta("starts_at")} />
    <${DateTime} hint="From then on, visitors read that it has ended. A day counts as a whole" ...${meta("ends_at")} />
    <div class="pairs">
      <${Text} hint="Visitors need it to see the content" ...${field("password")} autocomplete="new-password" />
      <${Texts} hint="Codes with commas between, such as en, de" ...${meta("language")} />
      <${Text} type="number" min="1" hint=${page ? "" : "Empty: you"} ...${field("author")} change=${(text) => change({ author: text && +text })} />
    </div>
    <${Texts} hint="The address of one picture in each line" lines ...${meta("gallery")} />
    <details><summary>More meta, as JSON</summary>
      <${Json} ...${meta("viral_share")} />
      <${Json} ...${meta("instant_win")} />
    </details>`;
}
