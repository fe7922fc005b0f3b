// npm `wpapi`, as its users write it; only the host name is ours.
// Usage: node wpapi.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import WPAPI from "wpapi";

const [url, username, password] = process.argv.slice(2);
const endpoint = `${url}/wp-json`;
const visitor = new WPAPI({ endpoint });
const editor = new WPAPI({ endpoint, username, password, auth: true });
editor.feeds = editor.registerRoute("gf/v2", "/feeds/(?P<id>\\d+)");

// Create: the answer is the whole page.
const created = [];
for (const title of ["Spring sale", "Summer sale", "Autumn fair", "Winter fair", "About us"]) {
    const page = await editor.pages().create({ title, content: `All of ${title}`, status: "publish" });
    assert.equal(page.title.raw, title);
    created.push(page.id);
}
const [first] = created;

// List with paging: the totals, and a walk along the links until there is no next one.
let found = await visitor.pages().perPage(2).order("asc").orderby("id").get();
assert.equal(found._paging.total, 5);
assert.equal(found._paging.totalPages, 3);
assert.equal(found._paging.prev, undefined);
const walked = found.map((page) => page.id);
while (found._paging.next) {
    found = await found._paging.next.get();
    walked.push(...found.map((page) => page.id));
}
assert.deepEqual(walked, created);
found = await found._paging.prev.get();
assert.deepEqual(found.map((page) => page.id), created.slice(2, 4));

// Lists by names, ids and search.
const titles = (pages) => pages.map((page) => page.title.rendered).sort();
assert.deepEqual(titles(await visitor.pages().slug("autumn-fair")), ["Autumn fair"]);
assert.deepEqual(titles(await visitor.pages().include([first, created[4]])), ["About us", "Spring sale"]);
assert.deepEqual(titles(await visitor.pages().search("fair")), ["Autumn fair", "Winter fair"]);
assert.deepEqual(await visitor.pages().search("nowhere"), []);
const headers = await visitor.pages().headers();
assert.equal(headers["x-wp-total"], "5");

// Get: what a visitor sees, and what an editor sees.
const seen = await visitor.pages().id(first);
assert.equal(seen.slug, "spring-sale");
assert.equal(seen.content.rendered.trim(), "<p>All of Spring sale</p>");
assert.equal(seen.content.raw, undefined);
assert.equal((await editor.pages().id(first).edit()).content.raw, "All of Spring sale");
await assert.rejects(() => visitor.pages().id(first).edit().get(), { code: "rest_forbidden_context" });

// Update: what is sent changes, the rest stays.
const updated = await editor.pages().id(first).update({ title: "Spring is over", status: "draft" });
assert.equal(updated.title.raw, "Spring is over");
assert.equal(updated.content.raw, "All of Spring sale");
assert.deepEqual(titles(await editor.pages().status("draft").get()), ["Spring is over"]);
await assert.rejects(() => visitor.pages().create({ title: "No" }), { code: "rest_cannot_create" });

// Delete: to the trash, then for good.
assert.equal((await editor.pages().id(first).delete()).status, "trash");
await assert.rejects(() => editor.pages().id(first).delete(), { code: "rest_already_trashed" });
const gone = await editor.pages().id(first).delete({ force: true });
assert.equal(gone.deleted, true);
assert.equal(gone.previous.id, first);
await assert.rejects(() => editor.pages().id(first).get(), {
    code: "rest_post_invalid_id",
    data: { status: 404 },
});
assert.equal((await visitor.pages().get())._paging.total, 4);

// The other peer's resource, by a route that the client registers.
const meta = { feedName: "Newsletter" };
const feed = await editor.feeds().create({ form_id: 3, addon_slug: "gravityformsmailchimp", meta });
assert.deepEqual((await editor.feeds().id(feed.id).get()).meta, meta);
assert.equal((await editor.feeds().id(feed.id).delete()).deleted, true);
assert.deepEqual(await editor.feeds().get(), []);

console.log("The session is over.");
