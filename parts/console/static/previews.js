// The preview of an edited page, and preview links.
import { html, useEffect, useLoad, useMemo, useRef, useSettled, useState } from "./lib.js";
import { get, post, remove } from "./api.js";
import { refine } from "./address.js";
import { may } from "./session.js";
import { Choice, Confirmed, Copied, Problem, say, displayTime, useAction } from "./ui.js";

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
