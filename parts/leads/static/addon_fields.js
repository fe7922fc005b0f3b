// Fields for feeds and pages: the form by its name, and the settings of add-ons that landform runs.
import { html, useLoad } from "./lib.js";
import { get } from "./api.js";
import { WITHOUT_VALUE } from "./form_fields.js";
import { getForms } from "./forms.js";
import { may } from "./session.js";
import { Choice, LongText, Text } from "./ui.js";

const ADDONS = [["email", "E-mail"], ["gravityformsslack", "Slack"], ["gravityformswebhooks", "Request to a URL"]];
// `{tags}` stands for the merge tags of the form.
const TAGS = "May have merge tags: {tags}.";
const MESSAGE = ["message", "Message", `${TAGS} Empty: all fields.`, { rows: 6 }];
/** The settings of each add-on: key, label, hint, and the options or rows of its field. @type {Record<string, any[]>} */
const SETTINGS = {
  email: [
    ["toEmail", "To", "Up to 20 addresses, with commas between."],
    ["toField", "Or to the address in field", "The id of an e-mail field of the form.", { type: "email" }],
    ["fromName", "Name of the sender"], ["replyTo", "Answers go to", "An address, or the merge tag of one."], ["subject", "Subject", "May have merge tags."], MESSAGE,
  ],
  gravityformsslack: [["webhookURL", "URL of the incoming webhook"], MESSAGE],
  gravityformswebhooks: [
    ["requestURL", "URL", TAGS], ["requestMethod", "Method", "", { options: ["POST", "GET", "PUT", "PATCH", "DELETE"] }],
    ["requestFormat", "Format", "", { options: [["json", "JSON"], ["form", "Form"]] }],
    ["requestBodyType", "Values", "", { options: [["all_fields", "All fields"], ["select_fields", "Those of fieldValues in the JSON"]] }],
  ],
};

/** A form: one by its name, where there are any that the caller may read, or the number of another. */
export function FormField({ value, change, none, ...attrs }) {
  const state = useLoad(async () => (may("forms:read") ? getForms() : []));
  const chosen = String(value ?? "");
  if (!state.data?.length) return html`<${Text} ...${attrs} value=${value} change=${change} />`;
  const empty = none === "All forms" ? "0" : "";
  const known = [...(chosen === "" && empty ? [["", "Choose"]] : []), ...state.data.map(({ id, title }) => [id, title]), [empty, none]];
  const isOther = !known.some(([id]) => id === chosen);
  return html`<${Choice} ...${attrs} hint="" value=${chosen} change=${change} options=${[...known, [isOther ? chosen : " ", "Another form"]]} />
    ${isOther && html`<${Text} ...${attrs} label="Its number" value=${chosen.trim()} change=${(text) => change(text || " ")} />`}`;
}

/** An add-on: one that landform runs, or the name of another. */
export function AddonField({ value, change, ...attrs }) {
  const isOther = value !== "" && !ADDONS.some(([slug]) => slug === value);
  const options = [...(value === "" ? [["", "Choose"]] : []), ...ADDONS, [isOther ? value : " ", "Another add-on"]];
  return html`<${Choice} label=${attrs.label} name="addon" value=${value} change=${change} options=${options} />
    ${isOther && html`<${Text} ...${attrs} label="Its name" value=${value.trim()} change=${(text) => change(text || " ")} />`}`;
}

/** Return the settings of the meta that are fields: the key, label, hint and options of each. A value that is no text stays in the JSON. */
export const settingsOf = ({ addon_slug, meta }) => (Object.hasOwn(SETTINGS, addon_slug) ? SETTINGS[addon_slug] : [])
  .filter(([key]) => ["string", "undefined"].includes(typeof meta[key]));

/** Return the merge tags of the fields of a form. */
const tagsOf = ({ fields }) => [...fields.filter(({ type }) => !WITHOUT_VALUE.includes(type)).map(({ id, label }) => `{${String(label).replace(/[{}]/g, "")}:${id}}`), "{all_fields}"].join(", ");

/** Return the choices of a setting that names a field of a type; none where the form has no such field. */
function fieldsOf(form, wanted, chosen) {
  const fields = form ? form.fields.filter(({ type }) => type === wanted).map(({ id, label }) => [String(id), label]) : [];
  const isOther = chosen && !fields.some(([id]) => id === chosen);
  return fields.length ? [["", "No field"], ...fields, ...(isOther ? [chosen] : [])] : undefined;
}

/** The settings of an add-on as fields; `change` gets the changed keys, of which an empty one is removed. */
export function AddonSettings({ values: { addon_slug, form_id, meta }, change }) {
  const { data: form } = useLoad(async () => (Number(form_id) > 0 && may("forms:read") ? (await get(`/forms/${form_id}`)).data : null), [form_id]);
  const tags = form ? tagsOf(form) : "{Email:2}, {all_fields}";
  return settingsOf({ addon_slug, meta }).map(([key, label, hint = "", { type, rows, options = type && fieldsOf(form, type, meta[key]) } = {}]) => html`<${options ? Choice : rows ? LongText : Text}
    key=${key} label=${label} name=${key} hint=${type && options ? "" : hint.replace("{tags}", () => tags)} rows=${rows} options=${options} value=${meta[key] ?? ""} change=${(text) => change({ [key]: text || undefined })} />`);
}

/** Get the titles of the forms by their ids, as far as the caller may read them. */
export const getTitles = async () => Object.fromEntries((may("forms:read") ? await getForms() : []).map(({ id, title }) => [id, title]));
