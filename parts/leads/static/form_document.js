// A form as a document: its fields, what is edited, how it is written, and how the changes of two people are joined.
import { html } from "./lib.js";
import { get } from "./api.js";
import { flat, same } from "./document.js";
import { Check, LongText, Text } from "./ui.js";

export const TYPES = [
  ["text", "Text, one line"], ["textarea", "Text, several lines"], ["email", "E-mail address"], ["name", "Name"],
  ["phone", "Phone number"], ["website", "Web address"], ["number", "Number"], ["date", "Date"],
  ["select", "Choice from a list"], ["radio", "One of several choices"], ["checkbox", "Any of several choices"],
  ["consent", "Consent"], ["hidden", "Hidden value"], ["html", "Text between fields"], ["section", "Heading"],
];
const WITH_CHOICES = ["select", "radio", "checkbox"];
export const WITHOUT_VALUE = ["html", "section"];
const LABELS = { email: "E-mail address", name: "Name", consent: "Consent" };

/** Return the inputs of choices: numbers that end in 0 are left out, as in Gravity Forms. */
function inputsOf(id, choices) {
  let number = 0;
  return choices.map(({ text }) => {
    number += (number + 1) % 10 ? 1 : 2;
    return { id: `${id}.${number}`, label: text };
  });
}

/** Return a new field. */
export function newField(type, id) {
  const field = { id, type, label: LABELS[type] || TYPES.find(([key]) => key === type)[1], isRequired: type === "consent" };
  if (type === "name") return { ...field, inputs: [{ id: `${id}.3`, label: "First" }, { id: `${id}.6`, label: "Last" }] };
  if (type === "consent") {
    const inputs = ["Consent", "Text", "Description"].map((label, place) => ({ id: `${id}.${place + 1}`, label, ...(place ? { isHidden: true } : {}) }));
    return { ...field, checkboxLabel: "I agree to be contacted.", inputs, choices: [{ text: "Checked", value: "1" }] };
  }
  // Without it only numbers of the USA are taken.
  if (type === "phone") return { ...field, phoneFormat: "international" };
  return WITH_CHOICES.includes(type) ? withChoices(field, ["First choice", "Second choice"]) : field;
}

/** Return a field with choices of these texts; those that it had already keep their values. */
function withChoices(field, texts) {
  const former = new Map((field.choices || []).map((choice) => [choice.text, choice]));
  const choices = texts.map((text) => former.get(text) || { text, value: text });
  return { ...field, choices, ...(field.type === "checkbox" ? { inputs: inputsOf(field.id, choices) } : {}) };
}

/** Return a field with another number, which its inputs have too. */
const renumbered = (field, id) => ({ ...field, id, ...(field.inputs && { inputs: field.inputs.map((input) => ({ ...input, id: String(input.id).replace(/^\d+/, id) })) }) });

/** Return the name of the type of a field. */
export const typeOf = ({ type }) => TYPES.find(([key]) => key === type)?.[1] || `${type} (not shown on pages)`;

/** The editor of a field. `move(by)` moves it; `error` has the messages of the service. */
export function FieldEditor({ field, place, count, change, move, drop, error }) {
  const set = (name) => (value) => change({ ...field, [name]: value });
  const name = field.label || `field ${field.id}`;
  return html`<fieldset class="form-field" data-field=${field.id}><legend>${place + 1}. ${typeOf(field)}</legend>
    <div class="pairs"><${Text} label="Label" name="fields.${place}.label" error=${error} value=${field.label} change=${set("label")} />
    ${!WITHOUT_VALUE.includes(field.type) && field.type !== "hidden" && html`<${Text} label="Help" name="fields.${place}.description" error=${error} value=${field.description} change=${set("description")} />`}</div>
    ${field.type === "html" && html`<${LongText} label="Text" name="fields.${place}.content" error=${error} rows="3" value=${field.content} change=${set("content")} />`}
    ${field.type === "hidden" && html`<${Text} label="Parameter of the page's address" name="fields.${place}.inputName" hint="Such as utm_source: the value comes from the address of the page." error=${error} value=${field.inputName} change=${(value) => change({ ...field, inputName: value, allowsPrepopulate: Boolean(value) })} />`}
    ${field.type === "consent" && html`<${Text} label="Text of the checkbox" name="fields.${place}.checkboxLabel" error=${error} value=${field.checkboxLabel} change=${set("checkboxLabel")} />`}
    ${WITH_CHOICES.includes(field.type) && html`<${LongText} label="Choices, one a line" name="fields.${place}.choices" rows="4" error=${error} value=${(field.choices || []).map(({ text }) => text).join("\n")}
      change=${(text) => change(withChoices(field, text.split("\n")))} />`}
    <div class="actions">
      ${!WITHOUT_VALUE.includes(field.type) && field.type !== "hidden" && html`<${Check} label="Required" value=${field.isRequired} change=${set("isRequired")} />`}
      <button type="button" data-by="-1" aria-label="Up: ${name}" aria-disabled=${place === 0 || undefined} onClick=${() => place > 0 && move(-1)}>↑</button>
      <button type="button" data-by="1" aria-label="Down: ${name}" aria-disabled=${place === count - 1 || undefined} onClick=${() => place < count - 1 && move(1)}>↓</button>
      <button type="button" class="danger" aria-label="Remove ${name}" onClick=${drop}>Remove</button>
    </div></fieldset>`;
}

/** Return a field without the empty lines of its choices. */
export const cleaned = (field) => (WITH_CHOICES.includes(field.type) ? withChoices(field, (field.choices || []).map(({ text }) => text.trim()).filter(Boolean)) : field);

const NEW = {
  title: "", is_active: "1", button: { type: "text", text: "Submit" }, confirmations: {},
  fields: [newField("name", 1), { ...newField("email", 2), isRequired: true }, newField("consent", 3)],
};
// As the service has it.
const THANKS = "Thanks for contacting us! We will get in touch with you shortly.";

/** Return a form as a document. Its fields are by their ids, so that each is merged by itself. */
export function documentOf({ data: form, headers }) {
  const { title, description = "", is_active, fields, button, confirmations, retention_days = "" } = form;
  const values = {
    title, description, is_active: is_active === "1", fields: Object.fromEntries(fields.map((field) => [field.id, field])),
    order: fields.map(({ id }) => String(id)), button, confirmations, retention_days: String(retention_days),
  };
  return { form, values, etag: headers.get("ETag"), warning: headers.get("X-Landform-Warning") };
}

/** Get the forms with a status, or all that are not in the trash: their ids, titles and numbers of entries. */
export async function getForms(status = "all") {
  const { data } = await get("/forms", { status });
  return Object.values(data);
}

export const loadForm = async (id) => documentOf(id === "new" ? { data: NEW, headers: new Headers() } : await get(`/forms/${encodeURIComponent(id)}`));

/** Return the fields in their order; those that it does not have, as they are new, are the last ones. */
export function fieldsOf({ order, fields }) {
  const known = order.filter((id) => Object.hasOwn(fields, id));
  return [...known, ...Object.keys(fields).filter((id) => !known.includes(id))].map((id) => fields[id]);
}

/** Return the number of the next new field: none that a field has, or has had, as its values are kept. */
export const nextId = (form, ...fields) => Math.max(Number(form.nextFieldId) || 1, ...[...form.fields, ...fields].map(({ id }) => id + 1));

/** Return the body of a write. */
export function bodyOf(values, form) {
  const fields = fieldsOf(values).map(cleaned);
  const { order, ...simple } = values;
  return { ...form, ...simple, fields, nextFieldId: nextId(form, ...fields), retention_days: values.retention_days.trim() || undefined };
}

/** Refuse values that the API takes, but that no visitor could use. */
export function check({ title, confirmations }) {
  const { type, url } = defaultConfirmation(confirmations);
  const params = {
    ...(!title.trim() && { title: "A form needs a title." }),
    ...(type === "redirect" && !url?.trim() && { "confirmations.url": "To which address?" }),
  };
  if (Object.keys(params).length) throw { message: "Nothing was saved.", params };
}

/** Return the confirmation that is shown where no other applies. */
export function defaultConfirmation(confirmations) {
  const all = Object.values(confirmations);
  return all.find(({ isDefault }) => isDefault) || all[0] || { id: "default", name: "Default", isDefault: true, type: "message", message: THANKS };
}

/** Return the changes with other numbers for new fields where somebody else has added fields with these. */
export function adapt(changes, before, { form, values }) {
  const theirs = flat(values);
  const adapted = { ...changes };
  for (const [path, field] of Object.entries(changes)) {
    if (!path.startsWith("fields.") || !field || before[path] || !theirs[path] || same(theirs[path], field)) continue;
    const others = Object.keys(adapted).filter((one) => one.startsWith("fields.")).map((one) => ({ id: Number(one.slice(7)) }));
    const id = nextId(form, ...others);
    delete adapted[path];
    adapted[`fields.${id}`] = renumbered(field, id);
    if (adapted.order) adapted.order = adapted.order.map((one) => (one === String(field.id) ? String(id) : one));
  }
  return adapted;
}
