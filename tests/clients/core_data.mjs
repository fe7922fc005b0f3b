// npm `@wordpress/core-data`, as a screen of the block editor uses it; only the address is ours.
// Usage: node core_data.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { connect } from "./core_data_store.mjs";

const [url, username, password] = process.argv.slice(2);
const { read, known, write } = connect(url, username, password);
const PAGE = ["postType", "page"];
const strictly = { throwOnError: true };
const ids = (pages) => pages.map((page) => page.id);

// Connect and check: no page is asked for before its type is known.
const types = await read.getPostTypes({ per_page: -1 });
assert.deepEqual(types.map((type) => type.slug), ["page", "attachment"]);
assert.equal((await read.getPostType("page")).rest_base, "pages");
assert.equal((await read.getCurrentUser()).name, username);
assert.equal((await read.getEntityRecord("root", "site")).title, "landform");
assert.equal((await read.getEntityRecord("root", "__unstableBase")).home, url);
assert.equal((await read.getEntityRecords("root", "status")).length, 6);
assert.equal(await read.canUser("create", { kind: "postType", name: "page" }), true);

// Create, and list with paging.
const created = [];
for (const title of ["Spring", "Summer", "Autumn"]) {
    const page = await write.saveEntityRecord(...PAGE, { title, status: "publish" }, strictly);
    created.push(page.id);
}
const [first] = created;
const query = { per_page: 2, orderby: "id", order: "asc", page: 1, _embed: true };
assert.deepEqual(ids(await read.getEntityRecords(...PAGE, query)), created.slice(0, 2));
assert.equal(known.getEntityRecordsTotalItems(...PAGE, query), 3);
assert.equal(known.getEntityRecordsTotalPages(...PAGE, query), 2);
assert.deepEqual(ids(await read.getEntityRecords(...PAGE, { ...query, page: 2 })), created.slice(2));
assert.equal((await read.getEntityRecords(...PAGE, { per_page: -1 })).length, 3);
assert.deepEqual(ids(await read.getEntityRecords(...PAGE, { search: "autumn" })), [created[2]]);
assert.deepEqual(ids(await read.getUsers()), [1]);

// Read, and write back what was edited.
assert.equal((await read.getEntityRecord(...PAGE, first)).title.raw, "Spring");
assert.equal((await read.getEditedEntityRecord(...PAGE, first)).title, "Spring");
await write.editEntityRecord(...PAGE, first, { title: "Over", content: "All of it" });
const saved = await write.saveEditedEntityRecord(...PAGE, first, strictly);
assert.equal(saved.content.raw, "All of it");
assert.equal((await read.getRawEntityRecord(...PAGE, first)).title, "Over");

// Delete.
const gone = await write.deleteEntityRecord(...PAGE, first, { force: true }, strictly);
assert.equal(gone.deleted, true);
await assert.rejects(write.deleteEntityRecord(...PAGE, first, { force: true }, strictly), {
    code: "rest_post_invalid_id",
});

console.log("The session is over.");
process.exit(0);
