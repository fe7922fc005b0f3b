// The dialogs to copy and to delete a feed.
import { html, useLoad, useState } from "./lib.js";
import { call, create, get } from "./api.js";
import { go } from "./address.js";
import { Dialog, Loaded, Problem, Text, say, useAction } from "./ui.js";

/** The dialog to copy a feed into a form. */
export function Copy({ feed, formId, close, done }) {
  const [form, setForm] = useState(formId);
  const [copy, , error] = useAction(async () => {
    const { data } = await create(`/feeds/${feed.id}/duplicate`, { form_id: form.trim() });
    close();
    say(`Feed ${data.id} is a copy in form ${data.form_id}. It is off.`);
    if (String(data.form_id) === formId) done();
    else go("feeds", { form_id: data.form_id });
  });
  return html`<${Dialog} title="Duplicate ${feed.meta?.feedName || `feed ${feed.id}`}" close=${close}><form onSubmit=${(event) => { event.preventDefault(); copy(); }}>
    <${Problem} error=${error} fields=${["form_id"]} />
    <${Text} label="Into the form" name="form_id" inputmode="numeric" pattern="[0-9]+" required error=${error} value=${form} change=${setForm} hint="The copy is off until you switch it on." />
    <div class="actions"><button class="main">Duplicate</button><button type="button" onClick=${close}>Cancel</button></div>
  </form><//>`;
}

/** The dialog to delete a feed, in the version that it shows. */
export function Deletion({ feed, close, done }) {
  const state = useLoad(() => get(`/feeds/${feed.id}`));
  const [erase, , error] = useAction(async () => {
    await call("DELETE", `/feeds/${feed.id}`, { headers: { "If-Match": state.data.headers.get("ETag") } });
    close();
    say(`Feed ${feed.id} was deleted.`);
    done();
  });
  const problem = error?.status === 412 ? { message: "Somebody else has saved this feed meanwhile. Nothing was deleted: close this and look at it again." } : error;
  return html`<${Dialog} title="Delete ${feed.meta?.feedName || `feed ${feed.id}`}?" close=${close}><${Problem} error=${problem} />
    <${Loaded} state=${state}>${({ data }) => html`<p>Feed ${data.id}, ${data.addon_slug}, ${data.is_active === "1" ? "which is on" : "which is off"}. It cannot be brought back.</p>`}<//>
    <div class="actions"><button type="button" class="danger" disabled=${!state.data || Boolean(error)} onClick=${erase}>Delete</button><button type="button" onClick=${close} autofocus>Cancel</button></div>
  <//>`;
}
