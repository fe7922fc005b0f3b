// The editor of one page: it stores drafts, and never overwrites the changes of others.
import { html, useEffect, useLoad, useRef, useState } from "./lib.js";
import { create, get, put } from "./api.js";
import { Link, go } from "./address.js";
import { Conflict } from "./conflict.js";
import { dropDraft, keepDraft, readDraft } from "./drafts.js";
import { PageFields, SHOWN_FIELDS } from "./page_fields.js";
import { titleOf } from "./pages.js";
import { Preview, Share } from "./previews.js";
import { may } from "./session.js";
import { Duplicate, Starters } from "./starters.js";
import { Loaded, Problem, Screen, say, useAction } from "./ui.js";

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

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

/** Return the values that differ from `base`. */
function changesOf(values, base) {
  const changes = Object.entries(values).filter(([name, value]) => name !== "meta" && !same(value, base[name]));
  const meta = Object.entries(values.meta).filter(([name, value]) => !same(value, base.meta[name]));
  return Object.fromEntries(meta.length ? [...changes, ["meta", Object.fromEntries(meta)]] : changes);
}

const withChanges = (base, changes) => ({ ...base, ...changes, meta: { ...base.meta, ...changes.meta } });

async function loadPage(id) {
  if (id === "new") return { page: null, values: EMPTY, etag: null };
  const { data, headers } = await get(`/pages/${id}`, { context: "edit" });
  return { page: data, values: valuesOf(data), etag: headers.get("ETag") };
}

/** Return the body of a write; an empty date means now, and an empty author the caller. */
function bodyOf(changes) {
  const { author, date, ...values } = changes;
  return { ...values, ...(author ? { author: +author } : {}), ...(date === undefined ? {} : { date: date || null }) };
}

export function Page({ id, query }) {
  const state = useLoad(() => loadPage(id), [id]);
  return html`<${Loaded} state=${state}>${(stored) => html`<${Editor} key=${`${id} ${stored.etag}`} ...${{ id, query, stored }} />`}<//>`;
}

function Editor({ id, query, stored }) {
  const name = `pages/${id}`;
  const [draft] = useState(() => readDraft(name));
  const [current, setCurrent] = useState(stored);
  const [values, setValues] = useState(() => withChanges(stored.values, draft?.values || {}));
  // The version that the changes are based on.
  const [etag, setEtag] = useState(draft?.etag || stored.etag);
  const [theirs, setTheirs] = useState(null);
  const [fieldProblems, setFieldProblems] = useState({});
  const isDraftStored = useRef(true);
  const { page, values: base } = current;
  const changes = changesOf(values, base);
  const isChanged = Object.keys(changes).length > 0;
  const canWrite = may("pages:write");
  const storeDraft = () => {
    if (isChanged) isDraftStored.current = keepDraft(name, { values: changes, etag });
    else dropDraft(name);
  };
  const latest = useRef(storeDraft);
  latest.current = storeDraft;
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), 300);
    return () => clearTimeout(timer);
  }, [values]);
  useEffect(() => {
    const leave = (event) => {
      latest.current();
      if (!isDraftStored.current) event.preventDefault();
    };
    addEventListener("beforeunload", leave);
    return () => {
      removeEventListener("beforeunload", leave);
      latest.current();
    };
  }, []);

  const saved = ({ data, headers }) => {
    dropDraft(name);
    const next = { page: data, values: valuesOf(data), etag: headers.get("ETag") };
    // Keep the input since the request was sent.
    setValues((now) => withChanges(next.values, changesOf(now, values)));
    setCurrent(next);
    setEtag(next.etag);
    const warning = headers.get("X-Landform-Warning");
    say(`${id === "new" ? "The page was created" : "The page was saved"}.${warning ? ` ${warning}` : ""}`);
    if (id === "new") {
      latest.current = () => {};
      go(`pages/${data.id}`, query, { replace: true });
    }
  };
  const [save, isSaving, error] = useAction(async () => {
    const body = bodyOf(id === "new" ? values : changes);
    try {
      saved(id === "new" ? await create("/pages", body) : await put(`/pages/${id}`, body, { headers: { "If-Match": etag } }));
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      setTheirs(await loadPage(id));
    }
  });
  const discard = () => {
    dropDraft(name);
    setValues(base);
    setEtag(current.etag);
  };
  const resolve = (chosenChanges) => {
    setCurrent(theirs);
    setValues(withChanges(theirs.values, chosenChanges));
    setEtag(theirs.etag);
    setTheirs(null);
    say("Both versions are joined here. Save to store the result.");
  };

  const problem = Object.values(fieldProblems).find(Boolean);
  const actions = html`${page?.status === "publish" && html`<a href=${page.link} target="_blank" rel="noopener">Open the public page</a>`}
    ${page && html`${may("pages:read") && html`<${Link} path="pages/${id}/revisions">History<//>`}`}
    ${page && canWrite && !isChanged && html`<${Duplicate} id=${id} />`}
    ${canWrite && isChanged && html`<button onClick=${discard} disabled=${isSaving}>Discard changes</button>`}
    ${canWrite && html`<button class="main" onClick=${save} disabled=${isSaving || !isChanged || Boolean(problem)}>${id === "new" ? "Create page" : "Save"}</button>`}`;
  return html`<${Screen} title=${page ? titleOf(page) : "New page"} actions=${actions}>
    <${Problem} error=${error} fields=${SHOWN_FIELDS} />
    ${draft && isChanged && html`<p class="hint">What you typed ${new Date(draft.time).toLocaleString()} and did not save is here again.</p>`}
    ${!isDraftStored.current && html`<p class="field-error">The browser cannot keep what you type until it is saved: there is too much of it.</p>`}
    ${theirs && html`<${Conflict} ...${{ base, values, changes, theirs: theirs.values, resolve }} />`}
    <p class="hint">${stateOf(page)}</p>
    ${id === "new" && html`<${Starters} values=${values} change=${(change) => setValues((now) => withChanges(now, change))} />`}
    <div class="editor">
      <form onSubmit=${(event) => event.preventDefault()} onKeyDown=${(event) => (event.ctrlKey || event.metaKey) && event.key === "s" && (event.preventDefault(), isChanged && save())}>
        <${PageFields} ...${{ values, error, page, disabled: !canWrite }} change=${(change) => setValues((now) => withChanges(now, change))}
          onProblem=${(field) => (text) => setFieldProblems((before) => ({ ...before, [field]: text }))} />
        ${page && may("pages:read") && html`<${Share} id=${id} />`}
      </form>
      ${canWrite && html`<${Preview} id=${id} values=${values} width=${query.preview} />`}
    </div>
  <//>`;
}

/** Return sentences about who sees a page. */
function stateOf(page) {
  if (!page) return "Nobody sees this page until it is created and published.";
  const sentences = {
    publish: "Published: visitors see this page.", future: `Scheduled: visitors see this page from ${page.date.replace("T", " ")} on.`,
    draft: "A draft: visitors do not see this page.", pending: "Pending: visitors do not see this page.",
    private: "Private: visitors do not see this page.", trash: "In the trash: choose another status to restore this page.",
  };
  const notes = [page.password && "A password is needed.", (page.meta.starts_at || page.meta.ends_at) && `Its window: ${page.meta.starts_at || "…"} to ${page.meta.ends_at || "…"}.`];
  return [sentences[page.status], ...notes.filter(Boolean)].join(" ");
}
