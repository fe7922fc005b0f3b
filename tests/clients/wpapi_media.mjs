// npm `wpapi` and pictures: it sends forms, and deletes with a JSON body.
// Usage: node wpapi_media.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import WPAPI from "wpapi";

const [url, username, password] = process.argv.slice(2);
const endpoint = `${url}/wp-json`;
const visitor = new WPAPI({ endpoint });
const editor = new WPAPI({ endpoint, username, password, auth: true });
const path = fileURLToPath(new URL("sun.png", import.meta.url));
const page = await editor.pages().create({ title: "Regatta", status: "publish" });

// Create from a path and from bytes, also below a folder and with a name beyond ASCII.
const texts = { title: "Sun", alt_text: "A yellow sun", caption: "Noon", description: "Above the sea" };
const sun = await editor.media().file(path).create({ ...texts, post: page.id });
assert.deepEqual([sun.title.raw, sun.alt_text, sun.caption.raw, sun.description.raw], Object.values(texts));
assert.deepEqual([sun.post, sun.media_details.width, sun.media_details.sizes.medium.width], [page.id, 1200, 300]);
const bytes = await readFile(path);
const beach = await editor.media().file(bytes, "2024/июль/пляж à la mer.png").create({});
assert.equal(beach.title.raw, "пляж à la mer");
for (const { source_url } of [sun, beach, sun.media_details.sizes.large]) {
    assert.equal((await fetch(source_url)).headers.get("Content-Type"), "image/png");
}

// List with paging, a search, and the pictures of a page.
const ids = (items) => items.map((item) => item.id);
let found = await visitor.media().perPage(1).order("asc").orderby("id");
assert.deepEqual([ids(found), found._paging.total, found._paging.totalPages], [[sun.id], 2, 2]);
found = await found._paging.next.get();
assert.deepEqual(ids(found), [beach.id]);
assert.deepEqual(ids(await visitor.media().search("пляж")), [beach.id]);
assert.deepEqual(ids(await visitor.media().param({ parent: page.id, media_type: "image" })), [sun.id]);

// Update, delete.
assert.equal((await editor.media().id(sun.id).update({ alt_text: "A star", post: 0 })).post, null);
assert.equal((await visitor.media().id(sun.id)).alt_text, "A star");
await assert.rejects(() => editor.media().id(sun.id).delete(), { code: "rest_trash_not_supported" });
assert.equal((await editor.media().id(sun.id).delete({ force: true })).previous.alt_text, "A star");
await assert.rejects(() => visitor.media().id(sun.id).get(), { code: "rest_post_invalid_id" });

// What is refused says why.
const upload = (site, name) => site.media().file(Buffer.from("<svg/>"), name).create({});
await assert.rejects(() => upload(editor, "sun.svg"), { code: "rest_upload_unknown_error", message: /PNG, JPEG/ });
await assert.rejects(() => upload(visitor, "sun.png"), { code: "rest_cannot_create" });

console.log("The session is over.");
