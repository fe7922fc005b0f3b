// What pictures bring to the console: the screens of the library, and `choosePicture`, with which other screens let people
// choose one:
//
//   const chosen = await additions.choosePicture?.();
//   // null if the dialog was closed, or {id, source_url, alt_text, width, height, sizes}; `sizes` as in the API.
import { Link, go, html, instead, render, useEffect, useLoad, useRef, useState } from "./lib.js";
import { get, list, may, put, remove, upload } from "./api.js";
import { Confirmed, Dialog, Filter, Loaded, LongText, Paging, Problem, Screen, Text, say, useAction } from "./ui.js";

const PER_PAGE = 24;
const FIELDS = "id,title,alt_text,source_url,media_details,mime_type";
const TYPES = "image/png,image/jpeg,image/gif,image/webp,image/avif";
const NO_TEXT = "Without a text: people who do not see it do not know what it shows.";

const nameOf = ({ title }) => title.raw ?? title.rendered;
const thumbnailOf = ({ media_details: { sizes }, source_url }) => sizes.thumbnail?.source_url || source_url;
const search = (text, page) => list("/media", { context: may("media:read") ? "edit" : "view", search: text, page, per_page: PER_PAGE, _fields: FIELDS });

/** Return what `choosePicture` promises of a picture. */
const chosenOf = ({ id, source_url, alt_text, media_details: { width, height, sizes } }) => ({ id, source_url, alt_text, width, height, sizes });

/** Return a name for a file without one, such as a picture of the screen that was pasted. */
const fileName = ({ name, type }) => name || `picture.${type.replace("image/", "")}`;

/**
 * What takes new pictures: chosen, dropped or pasted. They are sent one after the other, since the service makes one at a
 * time. `done(pictures)` gets those that were stored.
 */
function Upload({ done }) {
  const input = useRef();
  const [progress, setProgress] = useState(null);
  const [problems, setProblems] = useState([]);
  const [send, isSending] = useAction(async (files) => {
    const [stored, failed] = [[], []];
    setProblems([]);
    for (const [place, file] of files.entries()) {
      const label = files.length > 1 ? `${file.name} (${place + 1} of ${files.length})` : file.name;
      try {
        const { data } = await upload("/media", file, fileName(file), (part) => setProgress({ label, part }));
        stored.push(data);
      } catch (error) {
        failed.push(`${file.name || "The picture"}: ${error.message}`);
      }
    }
    setProgress(null);
    setProblems(failed);
    if (stored.length) done(stored);
  });
  const take = (files) => {
    const chosen = [...(files || [])].filter(({ type }) => !type || type.startsWith("image/"));
    if (chosen.length) send(chosen);
    return chosen.length > 0;
  };
  useEffect(() => {
    const paste = (event) => take(event.clipboardData?.files) && event.preventDefault();
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
  const drop = (event) => {
    event.preventDefault();
    take(event.dataTransfer.files);
  };
  return html`<div class="card" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
    <input type="file" hidden multiple accept=${TYPES} ref=${input} onChange=${({ target }) => { take(target.files); target.value = ""; }} />
    <button type="button" class="main" disabled=${isSending} onClick=${() => input.current.click()}>Upload pictures</button>
    <span class="hint"> Or drop files here, or paste a picture: PNG, JPEG, GIF, WebP or AVIF, up to 20 MB. Where a photograph was taken is removed.</span>
    <p role="status">${progress && html`${progress.label}: <progress max="1" value=${progress.part} aria-label="Upload"></progress> ${progress.part < 1 ? `${Math.round(progress.part * 100)} %` : "it is made smaller …"}`}</p>
    ${problems.length > 0 && html`<div class="problem" role="alert"><ul>${problems.map((text) => html`<li>${text}</li>`)}</ul></div>`}
  </div>`;
}

/** The pictures of a page of results, each as what `children(picture, image)` returns. */
const Grid = ({ items, children }) => (items.length
  ? html`<ul class="plain pictures">${items.map((item) => html`<li key=${item.id}>${children(item, html`<img src=${thumbnailOf(item)} alt="" width="150" height="150" loading="lazy" />`)}</li>`)}</ul>`
  : html`<p class="empty">There is no such picture.</p>`);

/** The library: all pictures, or those that are searched. */
function Library({ query }) {
  const state = useLoad(() => search(query.search, query.page), [query.search, query.page]);
  const done = (stored) => {
    if (stored.length === 1) go(`media/${stored[0].id}`);
    else state.reload();
    say(stored.length === 1 ? "The picture was uploaded. Say what it shows." : `${stored.length} pictures were uploaded.`);
  };
  return html`<${Screen} title="Pictures">
    ${may("media:write") && html`<${Upload} done=${done} />`}
    <div class="search"><${Filter} label="Search" name="search" type="search" query=${query} /></div>
    <${Loaded} state=${state}>${({ items, total, pages }) => html`
      <${Grid} items=${items}>${(item, image) => html`<${Link} path="media/${item.id}">${image}<br />${nameOf(item)}<//>${!item.alt_text && html` <span class="hint" title=${NO_TEXT}>no text</span>`}`}<//>
      <${Paging} ...${{ pages, total, what: "picture" }} />`}<//>
  <//>`;
}

/** Get the pages that use a picture. */
async function pagesWith(id) {
  if (!may("pages:read")) return [];
  const { data } = await get(`/media/${id}/pages`);
  if (!data.pages.length) return [];
  return (await list("/pages", { context: "edit", status: "any,trash", include: data.pages, per_page: 100, _fields: "id,title.raw" })).items;
}

/** A picture: its texts, its addresses, where it is used, and its end. */
function Picture({ id }) {
  const state = useLoad(async () => {
    const { data } = await get(`/media/${id}`, { context: may("media:read") ? "edit" : "view" });
    return { picture: data, users: await pagesWith(id) };
  }, [id]);
  return html`<${Loaded} state=${state} title="Picture">${({ picture, users }) => html`<${Details} picture=${picture} users=${users} />`}<//>`;
}

function Details({ picture, users }) {
  const { id, source_url, media_details: { width, height, filesize, sizes }, mime_type } = picture;
  const [values, setValues] = useState({ title: nameOf(picture), alt_text: picture.alt_text, caption: picture.caption.raw ?? "" });
  const [save, isSaving, error] = useAction(async () => {
    await put(`/media/${id}`, values);
    say("The picture was saved.");
  });
  const [end, isEnding, failure] = useAction(async () => {
    await remove(`/media/${id}?force=true`);
    go("media");
    say("The picture was deleted.");
  });
  const field = (name) => ({ name, error, value: values[name], change: (text) => setValues((before) => ({ ...before, [name]: text })) });
  const links = html`<ul>${users.map((page) => html`<li><${Link} path="pages/${page.id}">${page.title.raw || `Page ${page.id}`}<//></li>`)}</ul>`;
  const actions = may("media:write") && html`<${Confirmed} label="Delete" question="Delete this picture for good?" act=${end} class="danger" disabled=${isEnding}>
    ${users.length ? html`<p>These pages use it, and lack it then:</p>${links}` : html`<p>No page uses it.</p>`}<//>`;
  return html`<${Screen} title=${nameOf(picture) || `Picture ${id}`} actions=${actions}>
    <${Problem} error=${failure} />
    <div class="editor">
      <form onSubmit=${instead(save)}>
        <${Problem} error=${error} fields=${Object.keys(values)} />
        <${Text} label="What it shows" hint="For people who do not see it. Empty for an ornament." ...${field("alt_text")} />
        <${Text} label="Title" ...${field("title")} />
        <${LongText} label="Caption" rows="3" ...${field("caption")} />
        ${may("media:write") && html`<div class="actions"><button class="main" disabled=${isSaving}>Save</button></div>`}
      </form>
      <div>
        <p><img src=${sizes.medium?.source_url || source_url} alt=${picture.alt_text} width=${sizes.medium?.width || width} height=${sizes.medium?.height || height} /></p>
        <p>${width} × ${height}, ${Math.ceil(filesize / 1024).toLocaleString("en")} KB, ${mime_type}</p>
        <ul>${Object.entries({ full: { source_url, width, height }, ...sizes }).map(([name, size]) => html`<li><a href=${size.source_url} target="_blank" rel="noreferrer">${name}</a> <span class="hint">${size.width} × ${size.height}</span></li>`)}</ul>
        <h2>Pages with it</h2>
        ${users.length ? links : html`<p class="empty">None uses it.</p>`}
      </div>
    </div>
  <//>`;
}

function Chooser({ done }) {
  const [text, setText] = useState("");
  const [searched, setSearched] = useState("");
  const state = useLoad(() => search(searched, 1), [searched]);
  const find = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    setSearched(text.trim());
  };
  const uploaded = (stored) => (stored.length === 1 ? done(stored[0]) : state.reload());
  return html`<${Dialog} title="Choose a picture" close=${() => done(null)}>
    ${may("media:write") && html`<${Upload} done=${uploaded} />`}
    <div onKeyDown=${find}><${Text} label="Search" hint="Press Enter to search." name="search" type="search" value=${text} change=${setText} autofocus /></div>
    <${Loaded} state=${state}>${({ items, total }) => html`
      <${Grid} items=${items}>${(item, image) => html`<button type="button" class="plain" onClick=${() => done(item)}>${image}<br />${nameOf(item)}</button>`}<//>
      ${total > items.length && html`<p class="hint">There are ${total - items.length} more: search for them.</p>`}`}<//>
    <div class="actions"><button type="button" onClick=${() => done(null)}>Cancel</button></div>
  <//>`;
}

/**
 * Let somebody choose a picture of the library, or upload one; see the top of this file.
 * @returns {Promise<null | {id: number, source_url: string, alt_text: string, width: number, height: number, sizes: object}>}
 */
export function choosePicture() {
  const place = document.body.appendChild(document.createElement("div"));
  return new Promise((resolve) => {
    const done = (picture) => {
      render(null, place);
      place.remove();
      resolve(picture && chosenOf(picture));
    };
    render(html`<${Chooser} done=${done} />`, place);
  });
}

export const screens = { media: [Library, Picture] };
export const additions = { choosePicture };
