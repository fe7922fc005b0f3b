// What is done with pages of the list: with one or several at once, and how the trash is undone.
import { html, useLayoutEffect, useRef, useState } from "./lib.js";
import { batch } from "./api.js";
import { Link } from "./address.js";
import { may } from "./session.js";
import { Confirmed, Problem, say, useAction } from "./ui.js";

export const titleOf = ({ id, title }) => title?.raw || `(no title, ${id})`;
const counted = (count) => `${count} ${count === 1 ? "page was" : "pages were"}`;
const levelOf = (refused) => (refused.length ? "error" : "success");
const isTrashed = ({ status }) => status === "trash";
const TRASH = { name: "Move to the trash", method: "DELETE", done: "moved to the trash", isPossible: (page) => !isTrashed(page) };
const RESTORE = { name: "Restore as a draft", body: { status: "draft" }, done: ["restored as a draft", "restored as drafts"], isPossible: isTrashed };
const DELETE = { name: "Delete for good", method: "DELETE", query: "?force=true", done: "deleted for good", isPossible: isTrashed };
const PUBLISH = { name: "Publish", body: { status: "publish" }, done: "published", isPossible: ({ status }) => !["publish", "future", "trash"].includes(status) };
const DUPLICATE = { name: "Duplicate", query: "/duplicate", done: ["copied as a draft", "copied as drafts"], isPossible: () => true };
const ACTIONS = [PUBLISH, DUPLICATE, TRASH, RESTORE, DELETE];

/** Send a write for each page; return the pages with `etag`, and messages about refused ones. */
async function send(pages, request) {
  const responses = await batch(pages.map((page) => ({ headers: { "If-Match": "*" }, ...request(page) })));
  const written = pages.map((page, place) => ({ ...page, etag: responses[place].headers.ETag }));
  return [
    written.filter((_, place) => responses[place].status < 300),
    responses.flatMap(({ status, body }, place) => (status < 300 ? [] : [`${titleOf(pages[place])}: ${body.message}`])),
  ];
}

/** The actions on pages: `run(action, pages)`; `undo` brings back what `trashed` has, and the text about it. */
export function useActs(reload) {
  const [trashed, setTrashed] = useState(null);
  const [run, isRunning, error] = useAction(async (action, pages) => {
    const { method = "POST", query = "", body = {} } = action;
    const [written, refused] = await send(pages, ({ id }) => ({ method, path: `/pages/${id}${query}`, body }));
    const text = [`${counted(written.length)} ${[action.done].flat().at(written.length === 1 ? 0 : -1)}.`, ...refused].join(" ");
    const isUndoable = action === TRASH && written.length > 0;
    say(isUndoable ? "" : text, levelOf(refused));
    setTrashed(isUndoable ? { pages: written, text } : null);
    reload();
  });
  const [undo, isUndoing, undoError] = useAction(async () => {
    // Only as long as nobody has changed them in the trash.
    const [written, refused] = await send(trashed.pages, ({ id, status, etag }) => ({ method: "POST", path: `/pages/${id}`, body: { status }, headers: { "If-Match": etag } }));
    setTrashed(null);
    say([`${counted(written.length)} brought back.`, ...refused].join(" "), levelOf(refused));
    reload();
  });
  return { run, undo, trashed, isRunning: isRunning || isUndoing, error: error || undoError };
}

/** The actions on one page. */
export function RowActs({ page, acts }) {
  const title = titleOf(page);
  const button = (action, text) => html`<button class="plain" aria-label="${text}: ${title}" onClick=${() => acts.run(action, [page])}>${text}</button>`;
  return html`<div class="actions">
    ${page.status === "publish" && html`<a href=${page.link} target="_blank" rel="noopener" aria-label="View: ${title}">View</a>`}
    <${Link} path="pages/${page.id}" aria-label="${may("pages:write") ? "Edit" : "Open"}: ${title}">${may("pages:write") ? "Edit" : "Open"}<//>
    ${may("pages:write") && button(DUPLICATE, "Duplicate")}
    ${may("pages:write") && (isTrashed(page)
      ? html`${button(RESTORE, "Restore")}<${Confirmed} class="plain" label="Delete" aria-label="Delete: ${title}" question="Delete ${title} for good?" act=${() => acts.run(DELETE, [page])} />`
      : button(TRASH, "Trash"))}
  </div>`;
}

/** The bar that stays in view: actions on the selected pages, or the undo of the last action. */
export function ActBar({ pages, acts, clear }) {
  const { run, undo, trashed, isRunning, error } = acts;
  const possible = ACTIONS.filter(({ isPossible }) => pages.every(isPossible));
  const bar = useRef();
  const focused = document.activeElement;
  const hadFocus = bar.current?.contains(focused);
  useLayoutEffect(() => {
    // The button that was pressed is gone.
    if (hadFocus && !focused.isConnected) (bar.current.querySelector("button") || document.querySelector("h1")).focus();
  });
  return html`<div class="act-bar" ref=${bar}>
    <${Problem} error=${error} />
    <div role="status">${trashed && !pages.length && html`<div class="bar actions"><span>${trashed.text}</span>
      <button aria-disabled=${isRunning || undefined} onClick=${undo}>Undo</button></div>`}</div>
    ${pages.length > 0 && html`<div class="bar actions" role="group" aria-label="Selected pages"><span>${pages.length} selected</span>
      ${possible.map((action) => (action === DELETE
        ? html`<${Confirmed} class="danger" label=${action.name} aria-disabled=${isRunning || undefined} question="Delete ${pages.length === 1 ? titleOf(pages[0]) : `${pages.length} pages`} for good?" act=${() => run(action, pages)} />`
        : html`<button aria-disabled=${isRunning || undefined} onClick=${() => run(action, pages)}>${action.name}</button>`))}
      ${!possible.length && html`<span class="hint">Nothing suits all of them: they have different statuses.</span>`}
      <button class="plain" onClick=${clear}>Clear selection</button></div>`}
  </div>`;
}
