// npm `@wordpress/core-data`: several pages saved at once, which it sends as batches.
// Usage: node core_data_batch.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { connect } from "./core_data_store.mjs";

const [url, username, password] = process.argv.slice(2);
const { read, write } = connect(url, username, password);
const PAGE = ["postType", "page"];

// More than one batch holds.
const titles = Array.from({ length: 30 }, (_, number) => `Page ${number}`);
const pages = await write.__experimentalBatch(
    titles.map((title) => (batch) => batch.saveEntityRecord(...PAGE, { title, status: "publish" })),
);
assert.deepEqual(pages.map((page) => page.title.raw), titles);

await write.__experimentalBatch([
    (batch) => batch.saveEntityRecord(...PAGE, { id: pages[0].id, content: "All of it" }),
    (batch) => batch.deleteEntityRecord(...PAGE, pages[1].id, { force: true }),
]);
assert.equal((await read.getEntityRecord(...PAGE, pages[0].id)).content.raw, "All of it");
assert.equal((await read.getEntityRecords(...PAGE, { per_page: 100 })).length, 29);

// One that cannot be saved keeps the others from being saved.
const unsaved = { id: 9999, title: "Nowhere" };
await write
    .__experimentalBatch([
        (batch) => batch.saveEntityRecord(...PAGE, { title: "Never" }),
        (batch) => batch.saveEntityRecord(...PAGE, unsaved),
    ])
    .catch(() => {});
assert.equal((await read.getEntityRecords(...PAGE, { per_page: 100, status: "any" })).length, 29);

console.log("The session is over.");
process.exit(0);
