// The editor of one page: it stores drafts, and never overwrites the changes of others.
import { html, useLoad } from "./lib.js";
import { create, get, post, put } from "./api.js";
import { Link, go } from "./address.js";
import { Bar } from "./bar.js";
import { fromLocal, local, localBound } from "./clock.js";
import { Conflict } from "./conflict.js";
import { flat, useDocument, withChanges } from "./document.js";
import { Described, LABELS, PageFields, SHOWN_FIELDS } from "./page_fields.js";
import { titleOf } from "./pages.js";
import { Preview, Rendered, Share } from "./previews.js";
import { may } from "./session.js";
import { Duplicate, Starters } from "./starters.js";
import { Loaded, Problem, Screen, displayTime, sayDone, useAction } from "./ui.js";

/** Return the values of the fields of a page. */
function valuesOf({ title, content, slug, status, date, password, author, meta }) {
  // The status of a scheduled page follows from its date.
  const editedStatus = status === "future" ? "publish" : status;
  return { title: title.raw, content: content.raw, slug, status: editedStatus, date, password, author, meta };
}

const EMPTY = {
  title: "", content: "", slug: "", status: "draft", date: "", password: "", author: "",
  meta: { starts_at: "", ends_at: "", form_id: "", language: [], gallery: [], viral_share: [], instant_win: [] },
};

/** Return a stored page as a document. */
const documentOf = ({ data, headers }) => ({ page: data, values: valuesOf(data), etag: headers.get("ETag"), warning: headers.get("X-Landform-Warning"), savedAt: fromLocal(data.modified) });

async function loadPage(id) {
  if (id === "new") return { page: null, values: EMPTY, etag: null };
  return documentOf(await get(`/pages/${id}`, { context: "edit" }));
}

/** Load a page that somebody else has saved, with who did so. */
async function loadNewer(id) {
  const [newer, revisions] = await Promise.all([
    loadPage(id), get(`/pages/${id}/revisions`, { context: "edit", per_page: 1, _fields: "replaced_by,replaced_gmt" }).catch(() => ({ data: [] })),
  ]);
  const [last] = revisions.data;
  return { ...newer, lastWrite: last && { by: last.replaced_by, at: last.replaced_gmt } };
}

/** Return the body of a write; an empty date means now, and an empty author the caller. */
function bodyOf(changes) {
  const { author, date, ...values } = withChanges({ meta: {} }, changes);
  if (!Object.keys(values.meta).length) delete values.meta;
  return { ...values, ...(author ? { author: +author } : {}), ...(date === undefined ? {} : { date: date || null }) };
}

const LANGUAGE = /^[a-z]{2,3}([-_][a-z0-9]{1,8})*$/i;
const ADDRESS = /^(https?:\/\/|\/)\S+$/;

/** Return values by path, without the blanks that are left in a list of texts while somebody types. */
function cleaned(values) {
  const clean = (items) => items.map((item) => (typeof item === "string" ? item.trim() : item)).filter((item) => item !== "");
  const isTexts = (path, value) => ["meta.language", "meta.gallery"].includes(path) && Array.isArray(value);
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [path, isTexts(path, value) ? clean(value) : value]));
}

/** Refuse changed values that the API takes, but that no page can use. */
function checkMeta({ language: languages = [], gallery = [], form_id: form = "" } = {}) {
  const language = [languages].flat().find((code) => typeof code === "string" && !LANGUAGE.test(code));
  const picture = [gallery].flat().find((item) => typeof item === "string" && !ADDRESS.test(item));
  const params = {
    ...(language !== undefined && { language: `${language} is no code of a language, such as en or de-CH.` }),
    ...(picture !== undefined && { gallery: `${picture} is no address: it has to begin with https:// or /.` }),
    ...(!/^\d{0,18}$/.test(form) && { form_id: "This is no number of a form." }),
  };
  if (Object.keys(params).length) throw { message: "Nothing was saved.", params };
}

export function Page({ id, query }) {
  const state = useLoad(() => loadPage(id), [id]);
  return html`<${Loaded} state=${state}>${(stored) => html`<${Editor} key=${`${id} ${stored.etag}`} ...${{ id, query, stored }} />`}<//>`;
}

function Editor({ id, query, stored }) {
  const isNew = id === "new";
  const edited = useDocument({
    stored, draft: `pages/${id}`, saved: "The page was saved.", load: () => loadNewer(id),
    send: async (values, changes, { etag }, close) => {
      const body = bodyOf(cleaned(isNew ? flat(values) : changes));
      checkMeta(body.meta);
      if (!isNew) return documentOf(await put(`/pages/${id}`, body, { headers: { "If-Match": etag } }));
      const { data, headers } = await create("/pages", body);
      close();
      go(`pages/${data.id}`, query, { replace: true });
      sayDone("The page was created.", headers.get("X-Landform-Warning"));
      return null;
    },
  });
  const { values, error, conflict } = edited;
  const { page } = edited.stored;
  const canWrite = may("pages:write");
  // A change of the meta is a change of its keys.
  const change = ({ meta, ...fields }) => edited.set({ ...fields, ...Object.fromEntries(Object.entries(meta || {}).map(([name, value]) => [`meta.${name}`, value])) });
  return html`<${Screen} title=${page ? titleOf(page) : "New page"} actions=${page && html`${may("pages:read") && html`<${Link} path="pages/${id}/revisions">History<//>`} ${canWrite && !edited.isChanged && html`<${Duplicate} id=${id} />`}`}>
    <${Bar} document=${edited} state=${page ? stateOf(page) : "New"} fields=${SHOWN_FIELDS} label=${isNew ? "Create page" : "Save"} disabled=${!canWrite}>${page && html`<${View} page=${page} />`}<//>
    ${conflict && html`<${Conflict} document=${edited} what="page" names=${LABELS} />`}
    <p class="hint">${describe(page)}${canWrite && page?.status === "publish" && html` Its address: <a href=${page.link} target="_blank" rel="noopener">${page.link}</a>`}</p>
    ${isNew && html`<${Starters} values=${values} change=${change} />`}
    ${!canWrite && page && html`<${Described} page=${page} values=${values} /><${Rendered} page=${page} />`}
    ${canWrite && html`<div class="editor" key=${edited.discards}>
      <form onSubmit=${(event) => event.preventDefault()}>
        <${PageFields} ...${{ values, error, page, change, onProblem: edited.onProblem }} />
        ${page && may("pages:read") && html`<${Share} id=${id} />`}
      </form>
      <${Preview} id=${id} values=${values} width=${query.preview} />
    </div>`}
  <//>`;
}

/** A button that opens the page as it is stored: never an older one from a cache. */
function View({ page }) {
  const isLive = stateOf(page) === "Live";
  const [view, isRunning, error] = useAction(async () => {
    // Visitors may see a page from a cache for some time; with another query it is a new one.
    const link = isLive ? `${page.link}${page.link.includes("?") ? "&" : "?"}viewed=${Date.now()}` : (await post(`/pages/${page.id}/preview`, { expires_in: 3600 })).data.link;
    open(link, "_blank", "noopener");
  });
  if (page.status === "trash" || !(isLive || may("pages:read"))) return null;
  return html`<button type="button" onClick=${view} disabled=${isRunning}>View</button><${Problem} error=${error} />`;
}

/** Return what visitors have of a page, in a few words. */
function stateOf({ status, date, meta }) {
  if (status === "future") return `Scheduled for ${displayTime(date)}`;
  if (status !== "publish") return { draft: "Draft", pending: "Pending", private: "Private", trash: "In the trash" }[status] || status;
  const now = local(new Date());
  if (meta.ends_at && localBound("ends", meta.ends_at) <= now) return `Ended ${displayTime(meta.ends_at)}`;
  if (meta.starts_at && localBound("starts", meta.starts_at) > now) return `Opens ${displayTime(meta.starts_at)}`;
  return "Live";
}

/** Return sentences about who sees a page. */
function describe(page) {
  if (!page) return "Nobody sees this page until it is created and published.";
  const sentences = {
    publish: "Published: visitors see this page.", future: `Scheduled: visitors see this page from ${page.date.replace("T", " ")} on.`,
    draft: "A draft: visitors do not see this page.", pending: "Pending: visitors do not see this page.",
    private: "Private: visitors do not see this page.", trash: "In the trash: choose another status to restore this page.",
  };
  const notes = [page.password && "A password is needed.", (page.meta.starts_at || page.meta.ends_at) && `Its window: ${page.meta.starts_at || "…"} to ${page.meta.ends_at || "…"}.`];
  return [sentences[page.status], ...notes.filter(Boolean)].join(" ");
}
