// A form: its fields, how it is edited and written, how the changes of two people are joined, and a preview of what is saved.
import { Link, counted, go, html, instead, useEffect, useLoad, useRef, useState } from "./lib.js";
import { create, get, may, put, remove, root } from "./api.js";
import { Bar, Conflict, flat, same, useDocument } from "./document.js";
import { Check, Choice, Confirmed, Copied, Loaded, LongText, Problem, Screen, Text, Values, say, useAction } from "./ui.js";
import { Preview } from "./page.js";

const TYPES = [
  ["text", "Text, one line"], ["textarea", "Text, several lines"], ["email", "E-mail address"], ["name", "Name"],
  ["phone", "Phone number"], ["website", "Web address"], ["number", "Number"], ["date", "Date"], ["time", "Time"], ["address", "Address"],
  ["select", "Choice from a list"], ["radio", "One of several choices"], ["checkbox", "Any of several choices"], ["multiselect", "Any of several choices, as one value"],
  ["consent", "Consent"], ["hidden", "Hidden value"], ["html", "Text between fields"], ["section", "Heading"],
];
const WITH_CHOICES = ["select", "radio", "checkbox", "multiselect"];
const OF_PARTS = ["name", "address"];
const ADDRESS_PARTS = ["Street Address", "Address Line 2", "City", "State / Province", "ZIP / Postal Code", "Country"];
export const WITHOUT_VALUE = ["html", "section"];
const NEW_LABELS = { email: "E-mail address", name: "Name", consent: "Consent" };

/** Return the inputs of the choices of the field `id`: numbers that end in 0 are left out, as in Gravity Forms. */
export function boxesOf(id, choices) {
  let number = 0;
  return choices.map(({ text }) => {
    number += (number + 1) % 10 ? 1 : 2;
    return { id: `${id}.${number}`, label: text };
  });
}

/** Return the inputs of a field; an address that was written without any has all. */
export const partsOf = ({ id, type, inputs }) => (type === "address" && !inputs?.length ? ADDRESS_PARTS.map((label, place) => ({ id: `${id}.${place + 1}`, label })) : inputs || []);

/** Return a new field. */
function newField(type, id) {
  const field = { id, type, label: NEW_LABELS[type] || TYPES.find(([key]) => key === type)[1], isRequired: type === "consent" };
  if (type === "name") return { ...field, inputs: [{ id: `${id}.3`, label: "First" }, { id: `${id}.6`, label: "Last" }] };
  if (type === "consent") {
    const inputs = ["Consent", "Text", "Description"].map((label, place) => ({ id: `${id}.${place + 1}`, label, ...(place ? { isHidden: true } : {}) }));
    return { ...field, checkboxLabel: "I agree to be contacted.", inputs, choices: [{ text: "Checked", value: "1" }] };
  }
  if (type === "address") return { ...field, addressType: "international", inputs: partsOf({ ...field, inputs: [] }) };
  // Without it only numbers of the USA are taken.
  if (type === "phone") return { ...field, phoneFormat: "international" };
  return WITH_CHOICES.includes(type) ? withChoices(field, ["First choice", "Second choice"]) : field;
}

/** Return a field with choices of these texts; those that it had already keep their values. */
function withChoices(field, texts) {
  const former = new Map((field.choices || []).map((choice) => [choice.text, choice]));
  const choices = texts.map((text) => former.get(text) || { text, value: text });
  return { ...field, choices, ...(field.type === "checkbox" ? { inputs: boxesOf(field.id, choices) } : {}) };
}

/** Return a field with another number, which its inputs have too. */
const renumbered = (field, id) => ({ ...field, id, ...(field.inputs && { inputs: field.inputs.map((input) => ({ ...input, id: String(input.id).replace(/^\d+/, id) })) }) });

/** Return the name of the type of a field. */
const typeOf = ({ type }) => TYPES.find(([key]) => key === type)?.[1] || `${type} (not shown on pages)`;

/** How many entries have an answer in a field. */
function Answers({ field, formId }) {
  const state = useLoad(async () => {
    if (WITHOUT_VALUE.includes(field.type) || !may("entries:read")) return {};
    const search = JSON.stringify({ status: ["active", "spam", "trash"], field_filters: [{ key: field.id, operator: "isnot", value: "" }] });
    return (await get(`/forms/${formId}/entries`, { search, "paging[page_size]": 1, _field_ids: "id" })).data;
  });
  return html`<${Loaded} state=${state}>${({ total_count: count }) => count !== undefined && html`<p>${count
    ? `${counted(count, "entry")} ${count === 1 ? "has" : "have"} an answer in this field, which stays with the entry. Visitors are not asked any more.` : "No entry has an answer in this field."}</p>`}<//>`;
}

/** The editor of a field, of the form with the number `formId` if it is stored. `move(by)` moves it; `error` has the messages of the service. */
function FieldEditor({ field, formId, place, count, change, move, drop, error }) {
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
      ${formId ? html`<${Confirmed} label="Remove" class="danger" aria-label="Remove ${name}" question="Remove ${name}?" act=${drop}><${Answers} ...${{ field, formId }} /><//>`
    : html`<button type="button" class="danger" aria-label="Remove ${name}" onClick=${drop}>Remove</button>`}
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

/** Get a form, if it is still there and the caller may read it; else null. */
export const findForm = async (id) => (Number(id) > 0 && may("forms:read") ? (await get(`/forms/${encodeURIComponent(id)}`).catch(() => ({ data: null }))).data : null);

/** Get what rules may compare of a form: its fields and the parts of names, each with `id`, `label` and `choices`; null without a form. */
export async function getRuleFields(id) {
  const form = await findForm(id);
  return form && form.fields.filter(({ type }) => !WITHOUT_VALUE.includes(type)).flatMap((field) => [
    { id: String(field.id), label: nameOf(field), choices: (field.choices || []).map(({ text, value = text }) => [value, text]) },
    ...(OF_PARTS.includes(field.type) ? partsOf(field) : []).filter(({ isHidden }) => !isHidden).map((input) => ({ id: String(input.id), label: `${nameOf(field)}: ${input.label}`, choices: [] })),
  ]);
}

const loadForm = async (id) => documentOf(id === "new" ? { data: NEW, headers: new Headers() } : await get(`/forms/${encodeURIComponent(id)}`));

/** Return the fields in their order; those that it does not have, as they are new, are the last ones. */
export function fieldsOf({ order, fields }) {
  const known = order.filter((id) => Object.hasOwn(fields, id));
  return [...known, ...Object.keys(fields).filter((id) => !known.includes(id))].map((id) => fields[id]);
}

/** Return the number of the next new field: none that a field has, or has had, as its values are kept. */
const nextId = (form, ...fields) => Math.max(Number(form.nextFieldId) || 1, ...[...form.fields, ...fields].map(({ id }) => id + 1));

/** Return the body of a write. */
export function bodyOf(values, form) {
  const fields = fieldsOf(values).map(cleaned);
  const { order, ...simple } = values;
  return { ...form, ...simple, fields, nextFieldId: nextId(form, ...fields), retention_days: values.retention_days.trim() || undefined };
}

// As the service follows it.
const ADDRESS = /^\s*https?:\/\/[^/?#\\{@\s]+([/?#\\]|\s*$)/;

/** Refuse values that the API takes, but that no visitor could use. */
export function check({ title, confirmations }) {
  const { type, url } = defaultConfirmation(confirmations);
  const params = {
    ...(!title.trim() && { title: "A form needs a title." }),
    ...(type === "redirect" && !ADDRESS.test(url) && { "confirmations.url": url?.trim() ? "An address begins with https:// or http://, and its host is no value of a visitor." : "To which address?" }),
  };
  if (Object.keys(params).length) throw { message: "Nothing was saved.", params };
}

/** Return the confirmation that is shown where no other applies. */
function defaultConfirmation(confirmations) {
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

const LABELS = { title: "Title", description: "Description", is_active: "Active", order: "Order of the fields", "button.text": "Text of the button", retention_days: "Delete entries after so many days" };

export function Form({ id, query }) {
  const state = useLoad(() => loadForm(id), [id]);
  return html`<${Loaded} state=${state} title="Form ${id}">${(loaded) => html`<${Editor} key=${`${id} ${loaded.etag}`} ...${{ id, query, loaded }} />`}<//>`;
}

function Editor({ id, query, loaded }) {
  const isNew = id === "new";
  const mayWrite = may("forms:write");
  const edited = useDocument({
    stored: loaded, draft: mayWrite ? `forms/${id}` : "", load: () => loadForm(id), adapt, saved: "The form was saved.", labels: LABELS,
    send: async (values, _changes, { form, etag }) => {
      check(values);
      if (!isNew) return documentOf(await put(`/forms/${id}`, bodyOf(values, form), { headers: { "If-Match": etag } }));
      const { data, headers } = await create("/forms", bodyOf(values, form));
      return { opens: `forms/${data.id}`, created: "The form was created.", warning: headers.get("X-Landform-Warning") };
    },
  });
  const { values, stored: { form, etag }, conflict } = edited;
  const [trash, isDeleting, deleteError] = useAction(async (force) => {
    await remove(`/forms/${id}${force ? "?force=1" : ""}`);
    edited.close();
    go("forms");
    say(force ? `Form ${id} and its entries were deleted for good.` : `Form ${id} is in the trash.`);
  });
  const state = isNew ? "New" : form.is_trash === "1" ? "In the trash" : form.is_active === "1" ? "Active" : "Off";
  return html`<${Screen} title=${isNew ? "New form" : form.title} actions=${!isNew && html`${may("entries:read") && html`<${Link} class="button" path="entries" query=${{ form_id: id }}>Entries<//>`}
    ${may("feeds:read") && html`<${Link} class="button" path="feeds" query=${{ form_id: id }}>Feeds<//>`}`}><p><${Link} path="forms" query=${{ ...query, preview: "" }}>All forms<//></p>
    <${Bar} document=${edited} state=${state} label=${isNew ? "Create form" : "Save"} fields=${["title", "url", "retention_days"]} disabled=${!mayWrite} />
    <${Problem} error=${deleteError} />
    ${conflict && html`<${Conflict} document=${edited} what="form" names=${{ ...namesOf(conflict.theirs.values), ...namesOf(values) }} shown=${shownIn({ ...conflict.theirs.values.fields, ...values.fields })} />`}
    <div class="editor" key=${edited.discards}>
      ${mayWrite ? html`<form onSubmit=${instead()}>
        <${FormFields} document=${edited} />
        ${!isNew && html`<div class="actions"><${Confirmed} label="Move to the trash" class="danger" question="Move this form to the trash?" act=${() => trash(false)} disabled=${isDeleting} />
          ${may("entries:write") && html`<${Confirmed} label="Delete for good" class="danger" question="Delete this form and all of its entries for good?" act=${() => trash(true)} disabled=${isDeleting} />`}</div>`}
      </form>` : html`<${Described} values=${values} />`}
      ${!isNew && mayWrite && html`<${Snippet} id=${id} title=${form.title} />`}
      ${!isNew && may("pages:write") && html`<div><${Preview} key=${etag} id="new" width=${query.preview} values=${{ title: form.title, content: "", meta: { form_id: String(id) } }} />
        <p class="hint">The preview shows what is saved.</p></div>`}
    </div><//>`;
}

/** The HTML with which a page of another site shows a form, and follows its height and redirects. */
function Snippet({ id, title }) {
  const [name, origin] = [`landform-${id}`, window.location.origin];
  const text = title.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const script = `addEventListener("message", ({ source, origin, data }) => { const frame = document.getElementById("${name}"); if (source !== frame.contentWindow || origin !== "${origin}") return; `
    + `if (data.height) frame.style.height = data.height + "px"; if (/^https?:/.test(data.url)) location.href = data.url; })`;
  return html`<${Copied} label="HTML that shows it on another site" hint="The origin of that site must be one of LANDFORM_EMBED_ORIGINS."
    text=${`<iframe id="${name}" src="${origin}${root}/forms/${id}/embed" title="${text}" style="width: 100%; border: 0" height="600"></iframe><script>${script}</script>`} />`;
}

export const nameOf = (field) => field.label || typeOf(field);

/** Return the labels of fields and confirmations by their paths. */
const namesOf = ({ fields, confirmations }) => ({
  ...LABELS, ...Object.fromEntries(Object.keys(confirmations).map((id) => [`confirmations.${id}`, "After it was sent"])),
  ...Object.fromEntries(Object.values(fields).map((field) => [`fields.${field.id}`, `Field “${nameOf(field)}”`])),
});

const PROPERTIES = { label: "Label", description: "Help", content: "Text", choices: "Choices", checkboxLabel: "Text of the checkbox", isRequired: "Required", inputName: "Parameter of the page's address", inputs: "Parts", message: "Message", url: "Address of the page", type: "Type" };

/** Return the value of a property in words: of choices and parts their texts. */
function wordsOf(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => item?.text ?? item?.label ?? JSON.stringify(item)).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Return how a changed value is shown: an order by the labels of the fields, a field or confirmation by a line for each property. */
const shownIn = (fields) => (path, value) => {
  if (path === "order") return value.map((id) => (fields[id] ? nameOf(fields[id]) : `Field ${id}`)).join("\n");
  if (!/^(fields|confirmations)\./.test(path)) return value;
  return value ? Object.entries(value).map(([key, item]) => `${PROPERTIES[key] || key}: ${wordsOf(item)}`).join("\n") : "Removed";
};

function FormFields({ document: { values, field, set, error, stored } }) {
  const confirmation = defaultConfirmation(values.confirmations);
  const { type, url, pageId, message } = confirmation;
  const setConfirmation = (changes) => set({ [`confirmations.${confirmation.id}`]: { ...confirmation, ...changes } });
  return html`<${Text} ...${field("title")} required />
    <${LongText} ...${field("description")} rows="2" />
    <${Check} label="Active: it can be submitted" value=${values.is_active} change=${(is_active) => set({ is_active })} />
    <h2>Fields</h2><${Fields} ...${{ values, set, error, form: stored.form }} />
    <h2>After it was sent</h2>
    <${Text} ...${field("button.text")} />
    <${Choice} label="The visitor sees" name="confirmation" value=${type} options=${[["message", "A message on the page"], ["redirect", "Another page"], ...(type === "page" ? [["page", `Page ${pageId}`]] : [])]} change=${(next) => setConfirmation({ type: next })} />
    ${type === "redirect" && html`<${Text} label="Address of the page" name="confirmations.url" inputmode="url" error=${error} value=${url} change=${(next) => setConfirmation({ url: next })} />`}
    ${type === "message" && html`<${LongText} label="Message" name="confirmations.message" rows="3" error=${error} value=${message} change=${(next) => setConfirmation({ message: next })} />`}
    <${Text} ...${field("retention_days")} inputmode="numeric" hint="Empty: as the service is set." />`;
}

/** The fields in order, with a choice of a new one. A move or a removal keeps the focus. */
function Fields({ values, set, error, form }) {
  const [type, setType] = useState("text");
  const group = useRef();
  const nextFocus = useRef("");
  useEffect(() => {
    if (nextFocus.current) group.current.querySelector(nextFocus.current)?.focus();
    nextFocus.current = "";
  });
  const fields = fieldsOf(values);
  const move = (place, by) => {
    const order = fields.map(({ id }) => String(id));
    const [id] = order.splice(place, 1);
    order.splice(place + by, 0, id);
    nextFocus.current = `[data-field="${id}"] [data-by="${by}"]`;
    set({ order });
  };
  const add = () => {
    const id = nextId(form, ...fields);
    nextFocus.current = `[data-field="${id}"] :is(input, textarea)`;
    set({ [`fields.${id}`]: newField(type, id) });
  };
  const drop = (id) => {
    nextFocus.current = "[name='type']";
    set({ [`fields.${id}`]: undefined });
  };
  return html`<div ref=${group}>${fields.map((field, place) => html`<${FieldEditor} key=${field.id} ...${{ field, place, error }} formId=${form.fields.some(({ id }) => id === field.id) && form.id} count=${fields.length}
      change=${(next) => set({ [`fields.${field.id}`]: next })} move=${(by) => move(place, by)} drop=${() => drop(field.id)} />`)}
    <div class="inline"><${Choice} label="Add a field" name="type" value=${type} options=${TYPES} change=${setType} /><button type="button" onClick=${add}>Add</button></div></div>`;
}

/** A form for those who may only read it. */
function Described({ values }) {
  const { type, url, pageId, message } = defaultConfirmation(values.confirmations);
  return html`<${Values} pairs=${[
    [LABELS.description, values.description],
    ["Fields", html`<ol>${fieldsOf(values).map((field) => html`<li>${nameOf(field)} <span class="hint">${typeOf(field)}${field.isRequired && ", required"}</span></li>`)}</ol>`],
    [LABELS["button.text"], values.button.text], ["After it was sent", { redirect: url, page: `Page ${pageId}` }[type] || message], [LABELS.retention_days, values.retention_days],
  ]} />`;
}
