// npm `wordpress-api-client`, as its users write it; only the address is ours.
// Usage: node wordpress_api_client.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { default: WpApiClient } = require("wordpress-api-client");

const [url, username, password] = process.argv.slice(2);
const silent = async () => {};
const visitor = new WpApiClient(url, { onError: silent });
const editor = new WpApiClient(url, { auth: { type: "basic", username, password }, onError: silent });
const query = (values) => new URLSearchParams(values);
const ids = (pages) => pages.map((page) => page.id);

// Connect and check.
assert.equal((await editor.user().findMe()).name, username);
assert.equal((await editor.siteSettings().find()).title, "landform");
assert.deepEqual(Object.keys(await editor.postType()), ["page", "attachment"]);
assert.equal((await editor.status("draft")).slug, "draft");
assert.deepEqual(await editor.taxonomy(), {});
for (const none of ["post", "postCategory", "postTag", "media", "comment"]) {
    assert.deepEqual(await visitor[none]().find(), [], none);
}

// Create, and list with paging.
const created = [];
for (const title of ["Spring", "Summer", "Autumn"]) {
    const page = { title: { rendered: title }, content: { rendered: `All of ${title}` }, status: "publish" };
    created.push((await editor.page().create(page)).id);
}
const [first, second, third] = created;
const one = { per_page: "1", orderby: "id" };
assert.deepEqual(ids(await visitor.page().find(query({ ...one, page: "2" }))), [second]);
assert.deepEqual(ids(await visitor.page().dangerouslyFindAll()).sort(), created);
assert.deepEqual(ids(await visitor.page().find(query({ search: "autumn" }))), [third]);
assert.deepEqual(ids(await visitor.user().find()), [1]);

// A picture: the file as the body, and its texts with a second request.
const file = await readFile(new URL("sun.png", import.meta.url));
const sun = await editor.media().create("sun.png", file, "image/png", { alt_text: "A sun", post: first });
assert.deepEqual([sun.alt_text, sun.post, sun.media_details.width], ["A sun", first, 1200]);
assert.deepEqual(ids(await visitor.media().find(query({ parent: first }))), [sun.id]);
await editor.media().delete(sun.id);

// Read one and several, update, delete to the trash.
const [spring, summer] = await visitor.page().find(first, second);
assert.deepEqual([spring.title.rendered, summer.slug], ["Spring", "summer"]);
assert.equal((await editor.page().update({ title: { rendered: "Over" } }, first)).title.raw, "Over");
assert.equal((await editor.page().delete(first))[0].status, "trash");
assert.equal((await visitor.page().find()).length, 2);
await assert.rejects(visitor.page().create({ title: { rendered: "No" } }), /401/);
await assert.rejects(visitor.page().find(99), /404/);

console.log("The session is over.");
