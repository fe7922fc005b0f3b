// A form as a document: what is edited, how it is written, and how the changes of two people are joined.
import { get } from "./api.js";
import { flat, same } from "./document.js";
import { cleaned, newField, renumbered } from "./form_fields.js";

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
