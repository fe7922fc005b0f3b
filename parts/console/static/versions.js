// What a page looks like: its preview while it is edited, preview links, and its history with how to restore fields.
import { html, useEffect, useLoad, useMemo, useRef, useSettled, useState } from "./lib.js";
import { get, list, may, post, remove } from "./api.js";
import { Link, go, refine } from "./address.js";
import { titleOf } from "./pages.js";
import { Check, Choice, Confirmed, Copied, Loaded, Paging, Problem, Screen, Table, displayTime, say, useAction } from "./ui.js";

const PER_PAGE = 20;

/** The revisions of a page, and the changes of the one in the query. */
export function Revisions({ id, query }) {
  const state = useLoad(async () => {
    const [page, revisions] = await Promise.all([
      get(`/pages/${id}`, { context: "edit", _fields: "id,title.raw" }),
      list(`/pages/${id}/revisions`, { page: query.page, per_page: PER_PAGE, context: "edit", _fields: "id,modified,replaced_gmt,replaced_by,changed,title.raw" }),
    ]);
    return { page: page.data, ...revisions };
  }, [id, query.page]);
  return html`<${Loaded} state=${state}>${({ page, items, total, pages }) => html`
    <${Screen} title="History of ${titleOf(page)}" actions=${html`<${Link} path="pages/${id}">Back to the page<//>`}>
      ${query.revision && html`<${Revision} key=${query.revision} page=${id} id=${query.revision} />`}
      <${Table} caption="Revisions" rows=${items} empty="Nothing has been changed yet: a revision is kept with each write from now on." columns=${[
        { label: "Replaced", main: true, cell: (row) => html`<${Link} path="pages/${id}/revisions" query=${{ ...query, revision: row.id }} aria-current=${String(row.id) === query.revision ? "true" : undefined}>${displayTime(`${row.replaced_gmt}Z`)}<//>` },
        { label: "Changed", cell: (row) => row.changed.join(", ") },
        { label: "By author", cell: (row) => row.replaced_by },
        { label: "Title before", cell: (row) => row.title.raw },
      ]} />
      <${Paging} ...${{ pages, total }} what="revision" />
    <//>`}<//>`;
}

function Revision({ page, id }) {
  const state = useLoad(async () => (await get(`/pages/${page}/revisions/${id}`, { context: "edit", diff: 1 })).data, [id]);
  return html`<section class="card" aria-label="Revision ${id}"><${Loaded} state=${state}>${(revision) => html`<${Changes} page=${page} revision=${revision} />`}<//></section>`;
}

function Changes({ page, revision }) {
  const names = revision.changed;
  const [excluded, setExcluded] = useState([]);
  const fields = names.filter((name) => !excluded.includes(name));
  const [restore, isRestoring, error] = useAction(async () => {
    // Refused if the page changes meanwhile.
    const { headers } = await get(`/pages/${page}`, { context: "edit", _fields: "id" });
    await post(`/pages/${page}/revisions/${revision.id}/restore`, { fields }, { headers: { "If-Match": headers.get("ETag") } });
    go(`pages/${page}`);
    say(`Restored: ${fields.join(", ")}. What was replaced is a revision itself.`);
  });
  const heading = useRef();
  // It may be out of sight of the link that has opened it.
  useEffect(() => heading.current.focus(), []);
  return html`<h2 tabindex="-1" ref=${heading}>What was before ${displayTime(`${revision.replaced_gmt}Z`)}</h2>
    <${Problem} error=${error} />
    ${names.map((name) => html`<h3>${name}</h3><${Difference} name=${name} difference=${revision.diff[name]} />`)}
    ${may("pages:write") && html`<fieldset><legend>Put back</legend>${names.map((name) => html`<${Check} label=${name} value=${!excluded.includes(name)}
      change=${(isOn) => setExcluded(isOn ? excluded.filter((other) => other !== name) : [...excluded, name])} />`)}
      <button class="main" disabled=${isRestoring || !fields.length} onClick=${restore}>Restore</button></fieldset>`}`;
}

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** The value of a field before and after; for the content the lines that differ. */
function Difference({ name, difference }) {
  if (difference === null || difference === undefined) return html`<p>It is too long to be compared.</p>`;
  if (name === "content") return html`<pre>${difference.split("\n").map(line)}</pre>`;
  return html`<div class="versions"><pre><del>${asText(difference.before)}</del></pre><pre><ins>${asText(difference.after)}</ins></pre></div>`;
}

function line(text) {
  if (text.startsWith("+")) return html`<ins>${text}</ins>${"\n"}`;
  if (text.startsWith("-")) return html`<del>${text}</del>${"\n"}`;
  return `${text}\n`;
}

/**
 * The preview, which the service renders and does not store.
 * The frame runs no scripts and submits no forms. It has the origin of the console, so that its
 * scroll position can be restored.
 */
export function Preview({ id, values, width = "desktop" }) {
  const { title, content, slug, meta } = values;
  const body = useSettled(JSON.stringify({ ...(id === "new" ? {} : { id: +id }), title, content, slug, meta }), 500);
  const [state, setState] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    post("/pages/preview", JSON.parse(body), { signal: controller.signal }).then(
      ({ data }) => setState({ text: data.html }),
      (error) => controller.signal.aborted || setState((before) => ({ ...before, error })),
    );
    return () => controller.abort();
  }, [body]);
  return html`<section aria-label="Preview">
    <div class="screen-head"><h2>Preview</h2><div class="actions" role="group" aria-label="Width of the preview">
      ${["desktop", "phone"].map((name) => html`<button type="button" aria-pressed=${name === width} onClick=${() => refine({ preview: name === "phone" ? name : "" }, { replace: true })}>${name === "phone" ? "Phone" : "Desktop"}</button>`)}
    </div></div>
    <${Problem} error=${state.error} />
    ${state.text && html`<${Frame} text=${state.text} width=${width} />`}
  </section>`;
}

/** The content as it is stored, for those who may not write. */
export const Rendered = ({ page }) => html`<section aria-label="Preview"><h2>Content</h2><${Frame} text=${`<!doctype html><meta charset="utf-8"><title>Content</title><h1>${page.title.rendered}</h1>${page.content.rendered}`} width="desktop" /></section>`;

function Frame({ text, width }) {
  const frame = useRef();
  // The scroll position of the previous document.
  const top = useMemo(() => frame.current?.contentWindow.scrollY || 0, [text]);
  return html`<iframe class="frame ${width}" title="Preview of the page" sandbox="allow-same-origin" srcdoc=${text} ref=${frame}
    onLoad=${() => frame.current.contentWindow.scrollTo(0, top)}></iframe>`;
}

const PERIODS = [[3600, "an hour"], [86400, "a day"], [604800, "a week"], [2592000, "30 days"]];

/** Preview links, which show a page with any status to everyone who has them. */
export function Share({ id }) {
  const path = `/pages/${id}/preview`;
  const [period, setPeriod] = useState(86400);
  const [isOpen, setOpen] = useState(false);
  const links = useLoad(async () => (isOpen ? (await get(path)).data : []), [isOpen]);
  const [run, , error] = useAction(async (act) => {
    await act();
    links.reload();
  });
  const revoke = () => run(async () => {
    await remove(path);
    say("No preview link of this page works any more.");
  });
  return html`<details onToggle=${(event) => setOpen(event.target.open)}><summary>Preview links</summary>
    <p class="hint">A preview link shows what is saved to whoever has it, also of a draft.</p>
    <${Problem} error=${error || links.error} />
    <${Choice} label="Works for" name="period" value=${period} options=${PERIODS} change=${setPeriod} />
    <div class="actions"><button type="button" onClick=${() => run(() => post(path, { expires_in: +period }))}>Make a preview link</button>
    ${may("pages:write") && html`<${Confirmed} label="Revoke all preview links" question="Revoke every preview link of this page?" act=${revoke} />`}</div>
    ${links.data?.map(({ link, expires }) => html`<${Copied} key=${expires} label=${`Preview link until ${displayTime(expires)}`} text=${link} />`)}
  </details>`;
}
