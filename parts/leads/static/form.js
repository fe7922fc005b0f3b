// A form: its fields in order, its confirmation, and a preview.
import { html, useLoad, useState } from "./lib.js";
import { create, get, put, remove } from "./api.js";
import { Link, go } from "./address.js";
import { FieldEditor, TYPES, cleaned, newField } from "./form_fields.js";
import { Preview } from "./previews.js";
import { may } from "./session.js";
import { Check, Choice, Confirmed, Loaded, LongText, Problem, Screen, Text, say, useAction } from "./ui.js";

const NEW = {
  title: "", description: "", is_active: "1", button: { type: "text", text: "Submit" },
  fields: [newField("name", 1), { ...newField("email", 2), isRequired: true }, newField("consent", 3)],
};
// As the service has it.
const THANKS = "Thanks for contacting us! We will get in touch with you shortly.";

export function Form({ id }) {
  const state = useLoad(async () => (id === "new" ? { data: NEW } : get(`/forms/${encodeURIComponent(id)}`)), [id]);
  return html`<${Loaded} state=${state}>${({ data, headers }) => html`<${Editor} key=${`${id} ${headers?.get("ETag")}`} id=${id} stored=${data} etag=${headers?.get("ETag")} reload=${state.reload} />`}<//>`;
}

/** Return the confirmation that is shown where no other applies. */
function defaultConfirmation(form) {
  const all = Object.values(form.confirmations || {});
  return all.find(({ isDefault }) => isDefault) || all[0] || { id: "default", name: "Default", isDefault: true, type: "message", message: THANKS };
}

function Editor({ id, stored, etag, reload }) {
  const [form, setForm] = useState(stored);
  const isNew = id === "new";
  const readsOnly = !may("forms:write");
  const set = (name) => (value) => setForm((now) => ({ ...now, [name]: value }));
  const confirmation = defaultConfirmation(form);
  const setConfirmation = (changes) => {
    const next = { ...confirmation, ...changes };
    setForm((now) => ({ ...now, confirmations: { ...now.confirmations, [next.id]: next } }));
  };
  const [save, isSaving, error] = useAction(async (event) => {
    event.preventDefault();
    const body = { ...form, fields: form.fields.map(cleaned) };
    if (isNew) {
      const { data } = await create("/forms", body);
      go(`forms/${data.id}`, {}, { replace: true });
      say(`Form ${data.id} is saved.`);
    } else {
      await put(`/forms/${id}`, body, { headers: etag ? { "If-Match": etag } : {} });
      say("The form is saved.");
      reload();
    }
  });
  const [trash, isDeleting, deleteError] = useAction(async (force) => {
    await remove(`/forms/${id}${force ? "?force=1" : ""}`);
    go("forms");
    say(force ? `Form ${id} and its entries were deleted for good.` : `Form ${id} is in the trash.`);
  });
  const actions = html`${!isNew && may("entries:read") && html`<${Link} class="button" path="entries" query=${{ form_id: id }}>Entries<//>`}
    ${!isNew && may("feeds:read") && html`<${Link} class="button" path="feeds" query=${{ form_id: id }}>Feeds<//>`}
    ${!readsOnly && html`<button class="main" form="form-editor" disabled=${isSaving}>Save</button>`}`;
  return html`<${Screen} title=${isNew ? "New form" : stored.title || `Form ${id}`} actions=${actions}><p><${Link} path="forms">Forms<//></p>
    <div class="editor"><form id="form-editor" onSubmit=${save}>
      <${Problem} error=${error || deleteError} fields=${["title", "description"]} />
      <fieldset class="bare" disabled=${readsOnly}>
        <${Text} label="Title" name="title" required error=${error} value=${form.title} change=${set("title")} />
        <${LongText} label="Description" name="description" rows="2" error=${error} value=${form.description} change=${set("description")} />
        <${Check} label="Active: it can be submitted" value=${form.is_active === "1" || form.is_active === true} change=${(on) => set("is_active")(on ? "1" : "0")} />
      </fieldset>
      <h2>Fields</h2><${Fields} fields=${form.fields || []} change=${set("fields")} error=${error} disabled=${readsOnly} />
      <fieldset class="bare" disabled=${readsOnly}><h2>After it was sent</h2>
        <${Text} label="Text of the button" name="button.text" error=${error} value=${form.button?.text} change=${(text) => set("button")({ ...form.button, text })} />
        <${Choice} label="The visitor sees" name="confirmation" value=${confirmation.type === "redirect" ? "redirect" : "message"} options=${[["message", "A message on the page"], ["redirect", "Another page"]]} change=${(type) => setConfirmation({ type })} />
        ${confirmation.type === "redirect"
          ? html`<${Text} label="Address of the page" name="confirmations.url" inputmode="url" error=${error} value=${confirmation.url} change=${(url) => setConfirmation({ url })} />`
          : html`<${LongText} label="Message" name="confirmations.message" rows="3" error=${error} value=${confirmation.message} change=${(message) => setConfirmation({ message })} />`}
        <${Text} label="Delete entries after so many days" name="retention_days" inputmode="numeric" hint="Empty: as the service is set." error=${error} value=${form.retention_days} change=${(days) => setForm(({ retention_days, ...now }) => (days.trim() ? { ...now, retention_days: /^\d+$/.test(days.trim()) ? Number(days) : days } : now))} />
      </fieldset>
      ${!isNew && !readsOnly && html`<div class="actions"><${Confirmed} label="Move to the trash" class="danger" question="Move this form to the trash?" act=${() => trash(false)} disabled=${isDeleting} />
        ${may("entries:write") && html`<${Confirmed} label="Delete for good" class="danger" question="Delete this form and all of its entries for good?" act=${() => trash(true)} disabled=${isDeleting} />`}</div>`}
    </form>
    ${!isNew && may("pages:read") && html`<${Preview} id="new" values=${{ title: stored.title, content: "", meta: { form_id: String(id) } }} />`}
    </div><//>`;
}

/** The fields in order, with a choice of a new one. */
function Fields({ fields, change, error, disabled }) {
  const [type, setType] = useState("text");
  const move = (place, by) => {
    const next = [...fields];
    const [field] = next.splice(place, 1);
    next.splice(place + by, 0, field);
    change(next);
  };
  const add = () => change([...fields, newField(type, Math.max(0, ...fields.map(({ id }) => Number(id) || 0)) + 1)]);
  return html`${fields.map((field, place) => html`<${FieldEditor} key=${field.id} ...${{ field, place, error, disabled }} count=${fields.length}
      change=${(next) => change(fields.map((item, at) => (at === place ? next : item)))} move=${(by) => move(place, by)} drop=${() => change(fields.filter((_, at) => at !== place))} />`)}
    ${!disabled && html`<div class="inline"><${Choice} label="Add a field" name="type" value=${type} options=${TYPES} change=${setType} /><button type="button" onClick=${add}>Add</button></div>`}`;
}
