// The editor of one page, with the fields of the page and of its meta, its preview, and its preview links: it stores drafts, and
// never overwrites the changes of others.
import { Link, html, instead, refine, useEffect, useLoad, useRef, useSettled, useState } from "./lib.js";
import { additions, create, fromLocal, get, local, localBound, may, post, put, remove, timezone } from "./api.js";
import { Content, Duplicate, Starters } from "./content.js";
import { Bar, Conflict, flat, useDocument, withChanges } from "./document.js";
import { titleOf } from "./pages.js";
import { Choice, Confirmed, Copied, DateTime, Json, Loaded, LongText, Problem, Screen, Text, Values, displayTime, say, useAction } from "./ui.js";

/** Return the values of the fields of a page. */
function valuesOf({ title, content, slug, status, date, modified, password, author, meta }) {
  // The date of a draft moves with each write until it is given one.
  const floats = ["draft", "pending"].includes(status) && date === modified;
  // The status of a scheduled page follows from its date.
  const editedStatus = status === "future" ? "publish" : status;
  return { title: title.raw, content: content.raw, slug, status: editedStatus, date: floats ? "" : date, password, author, meta };
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

/** Return what to say about a slug that has a number, or other letters, as the one that was meant is taken or no slug. */
function slugNote({ slug: asked, title }, { slug }) {
  const wanted = asked.trim().toLowerCase().replace(/\s+/g, "-");
  const isOther = wanted ? ![wanted, encodeURIComponent(wanted).toLowerCase()].includes(slug) : /-\d+$/.test(slug) && !/\d\W*$/.test(title);
  return isOther ? `The slug is “${slug}”, since ${wanted ? `“${asked.trim()}”` : `“${slug.replace(/-\d+$/, "")}”`} is taken or cannot be in an address.` : "";
}

export function Page({ id, query }) {
  const state = useLoad(() => loadPage(id), [id]);
  return html`<${Loaded} state=${state} title="Page ${id}">${(stored) => html`<${Editor} key=${`${id} ${stored.etag}`} ...${{ id, query, stored }} />`}<//>`;
}

function Editor({ id, query, stored }) {
  const isNew = id === "new";
  const edited = useDocument({
    stored, draft: `pages/${id}`, saved: "The page was saved.", load: () => loadNewer(id),
    labels: LABELS,
    send: async (values, changes, { etag }) => {
      const body = bodyOf(cleaned(isNew ? flat(values) : changes));
      checkMeta(body.meta);
      const response = await (isNew ? create("/pages", body) : put(`/pages/${id}`, body, { headers: { "If-Match": etag } }));
      const saved = documentOf(response);
      const warning = [slugNote(values, response.data), saved.warning].filter(Boolean).join(" ");
      return { ...saved, warning, ...(isNew && { opens: `pages/${response.data.id}`, query, created: "The page was created." }) };
    },
  });
  const { values, conflict } = edited;
  // Leads from a text in the preview to its block.
  const leadTo = useRef(null);
  const { page } = edited.stored;
  const canWrite = may("pages:write");
  return html`<${Screen} title=${page ? titleOf(page) : "New page"} actions=${page && html`<${Link} path="pages" query=${{ ...query, preview: "" }}>All pages<//> ${may("pages:read") && html`<${Link} path="pages/${id}/revisions">History<//>`} ${canWrite && !edited.isChanged && html`<${Duplicate} id=${id} />`}`}>
    <${Bar} document=${edited} state=${page ? stateOf(page) : "New"} fields=${SHOWN_FIELDS} label=${isNew ? "Create page" : "Save"} disabled=${!canWrite}>${page && html`<${View} page=${page} />`}<//>
    ${conflict && html`<${Conflict} document=${edited} what="page" names=${LABELS} />`}
    <p class="hint">${describe(page)}${canWrite && page?.status === "publish" && html` Its address: <a href=${page.link} target="_blank" rel="noopener">${page.link}</a>`}</p>
    ${isNew && html`<${Starters} values=${values} change=${edited.set} />`}
    ${!canWrite && page && html`<${Described} page=${page} values=${values} /><${Rendered} page=${page} />`}
    ${canWrite && html`<div class="editor" key=${edited.discards}>
      <form onSubmit=${instead()}>
        <${PageFields} ...${edited} page=${page} leadTo=${leadTo} />
        ${page && may("pages:read") && html`<${Share} id=${id} />`}
      </form>
      <${Preview} id=${id} values=${values} width=${query.preview} leadTo=${leadTo} />
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
  const notes = [page.password && "A password is needed.", (page.meta.starts_at || page.meta.ends_at) && `Its window: ${displayTime(page.meta.starts_at) || "…"} to ${displayTime(page.meta.ends_at) || "…"}.`];
  return [sentences[page.status], ...notes.filter(Boolean)].join(" ");
}

const STATUSES = [["draft", "Draft"], ["publish", "Published, from its date on"], ["pending", "Pending"], ["private", "Private"]];
/** The labels of fields by their paths. */
export const LABELS = {
  title: "Title", content: "Content", slug: "Slug", status: "Status", date: `Date (${timezone})`, password: "Password", author: "Author (number)",
  "meta.starts_at": "Starts at", "meta.ends_at": "Ends at", "meta.form_id": "Form", "meta.language": "Languages", "meta.gallery": "Gallery",
  "meta.viral_share": "viral_share", "meta.instant_win": "instant_win",
};
/** The fields that show their own messages. */
export const SHOWN_FIELDS = Object.keys(LABELS).map((path) => path.replace("meta.", ""));

// A picture or video of an element, one of several in `srcset`, a background, or one of a gallery.
const UNSAFE_PICTURE = /\s(?:src|poster)\s*=\s*["']?\s*http:|\ssrcset\s*=\s*["']?(?:[^"'>]*\s)?http:|\burl\(\s*["']?http:|^\s*http:\S+$/im;

const isText = (list) => list.every((item) => typeof item === "string" && !/[,\n]/.test(item));
const isLines = (list) => list.every((item) => typeof item === "string" && !item.includes("\n"));

/** A list of texts, separated by commas or in lines. A list with other values is edited as JSON. */
function Texts({ value, change, lines, onProblem, ...attrs }) {
  const fits = lines ? isLines : isText;
  if (!Array.isArray(value) || !fits(value)) return html`<${Json} ...${attrs} value=${value} change=${change} onProblem=${onProblem} />`;
  const separator = lines ? "\n" : ",";
  // The user may have typed a separator at the end.
  const split = (text) => text.split(separator).map((item) => (lines ? item : item.replace(/^ /, "")));
  const clean = (event) => change(event.target.value.split(separator).map((item) => item.trim()).filter(Boolean));
  const control = lines ? LongText : Text;
  return html`<${control} ...${attrs} value=${value.join(lines ? "\n" : ", ")} change=${(text) => change(text ? split(text) : [])} onBlur=${clean} rows="3" />`;
}

/** The fields of a page for those who may only read it. */
export function Described({ page, values: { date, meta } }) {
  const more = ["starts_at", "ends_at", "form_id", "language", "gallery"].map((name) => [LABELS[`meta.${name}`], [meta[name]].flat().map(String).join(", ")]);
  return html`<${Values} pairs=${[["Address", html`<a href=${page.link}>${page.link}</a>`], [LABELS.date, displayTime(date)], ...more]} />`;
}

function PageFields({ values, field, set, page, leadTo }) {
  const statuses = values.status === "trash" ? [["trash", "In the trash"], ...STATUSES] : STATUSES;
  return html`<${Text} ...${field("title")} required />
    <${Content} ...${field("content")} language=${String([values.meta.language].flat()[0] || "")} formId=${values.meta.form_id} leadTo=${leadTo} />
    ${UNSAFE_PICTURE.test([values.content, ...[values.meta.gallery].flat()].join("\n").replaceAll(`${location.origin}/`, "/")) && html`<p class="field-error">A picture has an address with http:, which browsers do not show to visitors. Use its address with https:, if it has one.</p>`}
    <${Text} hint="The part of the address that names the page; empty: made of the title" ...${field("slug")} />
    <div class="pairs">
      <${Choice} ...${field("status")} options=${statuses} />
      <${additions.FormField || Text} inputmode="numeric" hint="The number of a form." none="No form" ...${field("meta.form_id")} />
    </div>
    ${additions.FormField && !values.meta.form_id && values.content.includes("[gravityform]") && html`<p class="field-error">The content shows a form at [gravityform], and none is chosen.</p>`}
    <${DateTime} hint="Later: the page is scheduled. Empty: now" ...${field("date")} needsTime />
    <${DateTime} hint="Before, visitors do not find the page" ...${field("meta.starts_at")} />
    <${DateTime} hint="From then on, visitors read that it has ended. A day counts as a whole" ...${field("meta.ends_at")} />
    <div class="pairs">
      <${Text} hint="Visitors need it to see the content" ...${field("password")} autocomplete="new-password" />
      <${Texts} hint="Codes with commas between, such as en, de" ...${field("meta.language")} />
      <${Text} type="number" min="1" hint=${page ? "" : "Empty: you"} ...${field("author")} change=${(text) => set({ author: text && +text })} />
    </div>
    <${Texts} hint="The address of one picture in each line" lines ...${field("meta.gallery")} />
    <details><summary>More meta, as JSON</summary>
      <${Json} ...${field("meta.viral_share")} />
      <${Json} ...${field("meta.instant_win")} />
    </details>`;
}

/**
 * The preview, which the service renders and does not store.
 * The frame runs no scripts and submits no forms. It has the origin of the console, so that its
 * scroll position can be restored.
 */
export function Preview({ id, values, width = "desktop", leadTo }) {
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
    ${state.text && html`<${Frame} text=${state.text} width=${width} leadTo=${leadTo} />`}
  </section>`;
}

/** The content as it is stored, for those who may not write. */
const Rendered = ({ page }) => html`<section aria-label="Preview"><h2>Content</h2><${Frame} text=${`<!doctype html><meta charset="utf-8"><title>Content</title><h1>${page.title.rendered}</h1>${page.content.rendered}`} width="desktop" /></section>`;

// The width of a desktop, which is scaled to fit.
const DESKTOP = 1280;

// What a click in the preview leads from.
const CLICKED = "p, h1, h2, h3, h4, h5, h6, li, summary, figcaption, cite, td, th, pre, a.wp-block-button__link, img";
const shownBy = (element) => (element.tagName === "IMG" ? element.getAttribute("src") : element.textContent.replace(/\s+/g, " ").trim());

// A load of a frame would make Safari forget what can be undone.
function Frame({ text, width, leadTo = null }) {
  const frame = useRef();
  useEffect(() => {
    const { style, parentElement } = frame.current;
    const fit = () => style.setProperty("--scale", String(Math.min(1, parentElement.clientWidth / DESKTOP)));
    const observer = new ResizeObserver(fit);
    observer.observe(parentElement);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const { contentDocument, contentWindow } = frame.current, top = contentWindow.scrollY;
    contentDocument.open();
    contentDocument.write(text);
    contentDocument.close();
    contentWindow.scrollTo(0, top);
    // A link would leave the preview.
    contentDocument.querySelectorAll("a[href]:not([href^='#'])").forEach((link) => link.setAttribute("href", "#-"));
  }, [text]);
  useEffect(() => {
    if (!leadTo) return undefined;
    // In a frame without scripts nothing hears a click; but this window loses the focus then, while an element there is pressed.
    const press = () => {
      const { contentDocument } = frame.current;
      const pressed = [...contentDocument.querySelectorAll(":active")].at(-1)?.closest(CLICKED);
      if (!pressed) return;
      const alike = [...contentDocument.querySelectorAll(CLICKED)].filter((element) => shownBy(element) === shownBy(pressed));
      // The browser moves the focus to the frame first.
      setTimeout(() => {
        frame.current?.blur();
        leadTo.current?.(shownBy(pressed), alike.indexOf(pressed));
      });
    };
    addEventListener("blur", press);
    return () => removeEventListener("blur", press);
  }, []);
  return html`<div class="frame ${width}"><iframe title="Preview of the page" sandbox="allow-same-origin" ref=${frame}></iframe></div>`;
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
