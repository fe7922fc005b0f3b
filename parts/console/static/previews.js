// The page as visitors would see it, while it is written; and addresses that show it to others.
import { html, useEffect, useMemo, useRef, useSettled, useState } from "./lib.js";
import { post, remove } from "./api.js";
import { refine } from "./address.js";
import { may } from "./session.js";
import { Choice, Confirmed, Copied, Problem, say, shownTime, useAction } from "./ui.js";

/**
 * The preview, rendered by the service and stored nowhere.
 * The frame runs no scripts and submits nothing; it has our origin only so that its place can be kept.
 */
export function Preview({ id, values, width = "desktop" }) {
  const { title, content, slug, meta } = values;
  const body = useSettled(JSON.stringify({ ...(id === "new" ? {} : { id: +id }), title, content, slug, meta }), 500);
  const [shown, setShown] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    post("/pages/preview", JSON.parse(body), { signal: controller.signal }).then(
      ({ data }) => setShown({ text: data.html }),
      (error) => controller.signal.aborted || setShown((before) => ({ ...before, error })),
    );
    return () => controller.abort();
  }, [body]);
  return html`<section aria-label="Preview">
    <div class="screen-head"><h2>Preview</h2><div class="actions" role="group" aria-label="Width of the preview">
      ${["desktop", "phone"].map((name) => html`<button type="button" aria-pressed=${name === width} onClick=${() => refine({ preview: name === "phone" ? name : "" }, { replace: true })}>${name === "phone" ? "Phone" : "Desktop"}</button>`)}
    </div></div>
    <${Problem} error=${shown.error} />
    ${shown.text && html`<${Frame} text=${shown.text} width=${width} />`}
  </section>`;
}

function Frame({ text, width }) {
  const frame = useRef();
  // How far the document is scrolled that this one takes the place of.
  const top = useMemo(() => frame.current?.contentWindow.scrollY || 0, [text]);
  return html`<iframe class="frame ${width}" title="Preview of the page" sandbox="allow-same-origin" srcdoc=${text} ref=${frame}
    onLoad=${() => frame.current.contentWindow.scrollTo(0, top)}></iframe>`;
}

const PERIODS = [[3600, "an hour"], [86400, "a day"], [604800, "a week"], [2592000, "30 days"]];

/** Addresses that show a page to whoever has them, whatever its status. */
export function Share({ id }) {
  const [period, setPeriod] = useState(86400);
  const [preview, setPreview] = useState(null);
  const [make, isMaking, error] = useAction(async () => setPreview((await post(`/pages/${id}/preview`, { expires_in: +period })).data));
  const [revoke, isRevoking, refused] = useAction(async () => {
    await remove(`/pages/${id}/preview`);
    setPreview(null);
    say("No preview link of this page works any more.");
  });
  return html`<details><summary>Preview links</summary>
    <p class="hint">A preview link shows what is saved to whoever has it, also of a draft.</p>
    <${Problem} error=${error || refused} />
    <${Choice} label="Works for" name="period" value=${period} options=${PERIODS} change=${setPeriod} />
    <div class="actions"><button type="button" onClick=${make} disabled=${isMaking}>Make a preview link</button>
    ${may("pages:write") && html`<${Confirmed} label="Revoke all preview links" question="Revoke every preview link of this page?" act=${revoke} disabled=${isRevoking} />`}</div>
    ${preview && html`<${Copied} label="Preview link" text=${preview.link} hint="Works until ${shownTime(preview.expires)}." />`}
  </details>`;
}
