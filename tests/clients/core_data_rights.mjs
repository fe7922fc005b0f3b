// npm `@wordpress/core-data`: a page that was read says what the caller may do with it.
// Usage: node core_data_rights.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { connect } from "./core_data_store.mjs";

const [url, username, password] = process.argv.slice(2);
const { read, write } = connect(url, username, password);

const page = await write.saveEntityRecord("postType", "page", { title: "Spring" }, { throwOnError: true });
await read.getEntityRecord("postType", "page", page.id);
for (const right of ["read", "update", "delete"]) {
    assert.equal(await read.canUser(right, { kind: "postType", name: "page", id: page.id }), true, right);
}

console.log("The session is over.");
process.exit(0);
