// npm `wpapi`: a batch as one of its requests.
// Usage: node wpapi_batch.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import WPAPI from "wpapi";

const [url, username, password] = process.argv.slice(2);
const site = new WPAPI({ endpoint: `${url}/wp-json`, username, password, auth: true });

const page = (title) => ({ path: "/wp/v2/pages", body: { title, status: "publish" } });
const { responses } = await site.root("batch/v1").create({
    requests: [page("One"), page("Two"), { path: "/wp/v2/pages/1", method: "DELETE" }, page("")],
});
assert.deepEqual(responses.map((response) => response.status), [201, 201, 200, 400]);
assert.equal(responses[2].body.status, "trash");
assert.deepEqual((await site.pages()).map((found) => found.title.rendered), ["Two"]);

console.log("The session is over.");
process.exit(0);
