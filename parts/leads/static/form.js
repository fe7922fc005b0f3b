// A form: its fields in order, its confirmation, and a preview of what is saved.
import { html, instead, useEffect, useLoad, useRef, useState } from "./lib.js";
import { create, may, put, remove } from "./api.js";
import { Link, go } from "./address.js";
import { Bar, Conflict } from "./bar.js";
import { useDocument } from "./document.js";
import { FieldEditor, TYPES, adapt, bodyOf, check, defaultConfirmation, documentOf, fieldsOf, loadForm, newField, nextId, typeOf } from "./form_document.js";
import { Preview } from "./versions.js";
import { Check, Choice, Confirmed, Loaded, LongText, Problem, Screen, Text, Values, say, useAction } from "./ui.js";

const LABELS = { title: "Title", description: "Description", is_active: "Active", order: "Order of the fields", "button.text": "Text of the button", retention_days: "Delete entries after so many days" };

export function Form({ id, query }) {
  const state = useLoad(() => loadForm(id), [id]);
  return html`<${Loaded} state=${state}>${(loaded) => html`<${Editor} key=${`${id} ${loaded.etag}`} ...${{ id, query, loaded }} />`}<//>`;
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
    ${may("feeds:read") && html`<${Link} class="button" path="feeds" query=${{ form_id: id }}>Feeds<//>`}`}><p><${Link} path="forms">All forms<//></p>
    <${Bar} document=${edited} state=${state} label=${isNew ? "Create form" : "Save"} fields=${["title", "url", "retention_days"]} disabled=${!mayWrite} />
    <${Problem} error=${deleteError} />
    ${conflict && html`<${Conflict} document=${edited} what="form" names=${{ ...namesOf(conflict.theirs.values), ...namesOf(values) }} shown=${shownIn({ ...conflict.theirs.values.fields, ...values.fields })} />`}
    <div class="editor" key=${edited.discards}>
      ${mayWrite ? html`<form onSubmit=${instead()}>
        <${FormFields} document=${edited} />
        ${!isNew && html`<div class="actions"><${Confirmed} label="Move to the trash" class="danger" question="Move this form to the trash?" act=${() => trash(false)} disabled=${isDeleting} />
          ${may("entries:write") && html`<${Confirmed} label="Delete for good" class="danger" question="Delete this form and all of its entries for good?" act=${() => trash(true)} disabled=${isDeleting} />`}</div>`}
      </form>` : html`<${Described} values=${values} />`}
      ${!isNew && may("pages:write") && html`<div><${Preview} key=${etag} id="new" width=${query.preview} values=${{ title: form.title, content: "", meta: { form_id: String(id) } }} />
        <p class="hint">The preview shows what is saved.</p></div>`}
    </div><//>`;
}

const nameOf = (field) => field.label || typeOf(field);

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
  return html`<div ref=${group}>${fields.map((field, place) => html`<${FieldEditor} key=${field.id} ...${{ field, place, error }} count=${fields.length}
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
