// npm `wpapi` with `discover()`: it makes its methods from the index that it finds at the address.
// Usage: node wpapi_discover.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import WPAPI from "wpapi";

const [url, username, password] = process.argv.slice(2);

// Connect: the Link header of the root, then the index.
const visitor = await WPAPI.discover(url);
const editor = (await WPAPI.discover(url)).auth({ username, password });

// Check: who is calling, what the site is called, which types it has, and what stands beside.
assert.equal((await editor.users().me()).name, username);
assert.equal((await editor.settings()).title, (await visitor.root("")).name);
assert.equal((await visitor.types().type("page")).rest_base, "pages");
assert.equal((await editor.statuses().status("draft")).slug, "draft");
assert.deepEqual(Object.keys(await visitor.taxonomies()).filter((key) => key !== "_paging"), []);
for (const none of ["posts", "categories", "tags", "media", "comments"]) {
    const found = await visitor[none]().perPage(5);
    assert.equal(found.length, 0);
}
await assert.rejects(() => visitor.users().me().get(), { code: "rest_not_logged_in" });

// Create, and list with paging; the filters have methods because the index names them.
const created = [];
for (const title of ["Spring", "Summer", "Autumn"]) {
    const page = await editor.pages().create({ title, content: `All of ${title}`, status: "publish" });
    created.push(page.id);
}
let found = await visitor.pages().perPage(2).orderby("id").order("asc").get();
assert.deepEqual([found._paging.total, found._paging.totalPages], ["3", "2"].map(Number));
assert.deepEqual(found.map((page) => page.id), created.slice(0, 2));
found = await found._paging.next.get();
assert.deepEqual(found.map((page) => page.id), created.slice(2));
assert.deepEqual((await visitor.pages().slug("summer")).map((page) => page.id), [created[1]]);
assert.deepEqual((await visitor.pages().search("autumn")).map((page) => page.id), [created[2]]);
assert.deepEqual((await visitor.users()).map((user) => user.id), [1]);
assert.equal((await visitor.users().id(1)).id, 1);

// Read, update, delete.
const [first] = created;
assert.equal((await visitor.pages().id(first)).title.rendered, "Spring");
assert.equal((await editor.pages().id(first).context("edit")).content.raw, "All of Spring");
assert.equal((await editor.pages().id(first).update({ title: "Over" })).title.raw, "Over");
assert.equal((await editor.pages().id(first).delete()).status, "trash");
assert.equal((await editor.pages().id(first).delete({ force: true })).deleted, true);
assert.equal((await visitor.pages().get())._paging.total, 2);

// The other namespace of the index.
const forms = editor.namespace("gf/v2");
const meta = { feedName: "Newsletter" };
const { id } = await forms.forms().create({ title: "Contact", fields: [] });
const feed = await forms.feeds().create({ form_id: id, addon_slug: "gravityformsmailchimp", meta });
assert.equal((await forms.forms().get())[id].title, "Contact");
assert.equal((await forms.forms().formId(id)).title, "Contact");
assert.deepEqual((await forms.feeds().feedId(feed.id)).meta, meta);
assert.equal((await forms.forms().formId(id).feeds()).length, 1);
await forms.feeds().feedId(feed.id).properties().update({ is_active: false });
assert.equal((await forms.feeds().feedId(feed.id)).is_active, "0");
assert.equal((await forms.feeds().feedId(feed.id).delete()).deleted, true);
assert.deepEqual(await forms.feeds().get(), []);

console.log("The session is over.");
