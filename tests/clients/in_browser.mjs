// npm `wpapi` and `@wordpress/api-fetch` in a page of another origin. The latter sends cookies with each request.
import "./wpapi.mjs";
import assert from "node:assert/strict";
import apiFetch from "@wordpress/api-fetch";
import picture from "./sun.png";

const [url, username, password] = process.argv.slice(2);
apiFetch.use(apiFetch.createRootURLMiddleware(`${url}/wp-json/`));
const headers = { Authorization: "Basic " + btoa(`${username}:${password}`), Prefer: "handling=strict" };
const path = "wp/v2/pages";
const page = await apiFetch({ path, method: "POST", headers, data: { title: "Regatta", status: "publish" } });
const listed = await apiFetch({ path: `${path}?search=regatta`, parse: false });
assert.equal(listed.headers.get("X-WP-Total"), "1");
const changed = await apiFetch({ path: `${path}/${page.id}`, method: "PUT", headers, data: { title: "Over" } });
assert.equal(changed.title.raw, "Over");
const gone = await apiFetch({ path: `${path}/${page.id}?force=true`, method: "DELETE", headers });
assert.equal(gone.deleted, true);
await assert.rejects(() => apiFetch({ path: `${path}?categories=3`, headers }), { code: "rest_invalid_param" });

// A picture, in a form and as the body.
const media = { path: "wp/v2/media", method: "POST", headers };
const form = new FormData();
form.append("file", new File([picture], "sun.png", { type: "image/png" }));
form.append("alt_text", "A sun");
const sun = await apiFetch({ ...media, body: form });
assert.equal(sun.alt_text, "A sun");
const disposition = { "Content-Disposition": 'attachment; filename="sun.png"', "Content-Type": "image/png" };
const body = new Blob([picture], { type: "image/png" });
const response = await apiFetch({ ...media, body, headers: { ...headers, ...disposition }, parse: false });
assert.equal(response.headers.get("X-Landform-Same-As"), String(sun.id));
await createImageBitmap(await (await fetch(sun.source_url)).blob());

document.getElementById("said").textContent = "The session is over.";
