// npm `wpapi` and `@wordpress/api-fetch` in a page of another origin. The latter sends cookies with each request.
import "./wpapi.mjs";
import assert from "node:assert/strict";
import apiFetch from "@wordpress/api-fetch";

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
document.getElementById("said").textContent = "The session is over.";
