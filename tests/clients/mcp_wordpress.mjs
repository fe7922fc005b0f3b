// npm `mcp-wordpress`, a server of tools for assistants, as an assistant calls it.
// Usage: node mcp_wordpress.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [url, username, password] = process.argv.slice(2);
const folder = fileURLToPath(new URL(".", import.meta.url));
const server = new StdioClientTransport({
    command: process.execPath,
    args: [`${folder}/node_modules/mcp-wordpress/bin/mcp-wordpress.js`],
    env: {
        PATH: process.env.PATH,
        HOME: tmpdir(),
        WORDPRESS_SITE_URL: url,
        WORDPRESS_USERNAME: username,
        WORDPRESS_APP_PASSWORD: password,
        ALLOW_INSECURE_HTTP: "true", // both for a server on loopback
        ALLOW_PRIVATE_URLS: "true",
        MCP_UPLOAD_BASE_DIR: folder, // it uploads nothing else
        RATE_LIMIT: "6000", // requests in a minute that it allows itself
    },
    stderr: "ignore",
});
const assistant = new Client({ name: "session", version: "1" });
await assistant.connect(server);

async function call(name, values = {}) {
    const result = await assistant.callTool({ name, arguments: values });
    const text = result.content[0].text;
    assert.ok(!result.isError, `${name}: ${text}`);
    return text;
}

// Connect and check.
assert.match(await call("wp_test_auth"), /Authentication successful/);
assert.match(await call("wp_get_current_user"), /administrator/);
assert.match(await call("wp_get_site_settings"), /landform/);
assert.match(await call("wp_list_posts"), /No posts found/);
for (const none of ["wp_list_categories", "wp_list_tags", "wp_list_media", "wp_list_comments"]) {
    assert.match(await call(none), /No /, none);
}

// Create, list, read, update, delete.
for (const title of ["Spring", "Summer"]) {
    await call("wp_create_page", { title, content: `<p>All of ${title}</p>`, status: "publish" });
}
assert.match(await call("wp_list_pages", { per_page: 1 }), /Found 1 pages/);
const listed = await call("wp_list_pages", { search: "spring" });
const id = Number(/ID (\d+)/.exec(listed)[1]);
assert.match(await call("wp_list_users"), /Author 1/);
assert.match(await call("wp_get_page", { id }), /Spring/);
await call("wp_update_page", { id, title: "Over" });
assert.match(await call("wp_get_page", { id }), /Over/);
assert.match(await call("wp_delete_page", { id, force: true }), /permanently deleted/);
assert.match(await call("wp_list_pages"), /Found 1 pages/);

// Pictures: upload, list, read, update, delete.
const texts = { title: "Sun", alt_text: "A yellow sun", caption: "Noon" };
const uploaded = await call("wp_upload_media", { file_path: `${folder}/sun.png`, ...texts });
const media = { id: Number(/ID: (\d+)/.exec(uploaded)[1]) };
assert.match(await call("wp_list_media", { search: "yellow", media_type: "image" }), /Sun.*image\/png/);
await call("wp_update_media", { ...media, alt_text: "A star" });
assert.match(await call("wp_get_media", media), /A star[^]*Noon/);
assert.match(await call("wp_delete_media", { ...media, force: true }), /permanently deleted/);

await assistant.close();
console.log("The session is over.");
