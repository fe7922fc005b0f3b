// npm `@wordpress/media-utils` and `@wordpress/core-data`: pictures, as the block editor uploads and shows them.
// Usage: node core_data_media.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "./core_data_store.mjs";

const require = createRequire(import.meta.url);
const [url, username, password] = process.argv.slice(2);
const { read, known, write } = connect(url, username, password);
const { default: apiFetch } = require("@wordpress/api-fetch");
const { uploadMedia } = require("@wordpress/media-utils");
apiFetch.use(apiFetch.mediaUploadMiddleware);
const MEDIA = ["postType", "attachment"];
const strictly = { throwOnError: true };

/** Upload files, and return the last pictures or the errors that the editor is told. */
function upload(files, additionalData) {
    return new Promise((resolve) => {
        const errors = [];
        const isEnd = (items) => items.length + errors.length === files.length && items.every((item) => item.id);
        let pictures = [];
        const end = () => isEnd(pictures) && resolve(errors.length ? errors : pictures);
        uploadMedia({
            filesList: files,
            additionalData,
            onFileChange: (items) => { pictures = items; end(); },
            onError: (error) => { errors.push(error); end(); },
        });
    });
}

// Upload two at once, attached to a page.
const page = await write.saveEntityRecord("postType", "page", { title: "Sea" }, strictly);
const file = new File([await readFile(new URL("sun.png", import.meta.url))], "sun.png", { type: "image/png" });
const pictures = await upload([file, file], { post: page.id });
pictures.sort((one, other) => one.id - other.id);
const [sun] = pictures;
assert.deepEqual([sun.title, sun.alt, sun.media_details.sizes.large.width], ["sun", "", 1024]);
assert.notEqual(sun.url, pictures[1].url);

// What is refused says why, and is not processed later.
const [refused] = await upload([new File(["x"], "x.png", { type: "image/png" })]);
assert.match(refused.message, /PNG, JPEG/);

// List, read, update.
const query = { parent: [page.id], per_page: 1, orderby: "id", order: "asc" };
assert.deepEqual((await read.getEntityRecords(...MEDIA, query)).map((item) => item.id), [sun.id]);
assert.equal(known.getEntityRecordsTotalItems(...MEDIA, query), 2);
await write.saveEntityRecord(...MEDIA, { id: sun.id, alt_text: "A yellow sun" }, strictly);
assert.equal((await read.getEntityRecord(...MEDIA, sun.id)).alt_text, "A yellow sun");

// Use it as the image block saves it: visitors get its sizes.
const { source_url: src } = sun.media_details.sizes.large;
const image = `<img src="${src}" alt="" class="wp-image-${sun.id}"/>`;
const content =
    `<!-- wp:image {"id":${sun.id},"sizeSlug":"large"} -->\n` +
    `<figure class="wp-block-image size-large">${image}</figure>\n<!-- /wp:image -->`;
const { link } = await write.saveEntityRecord("postType", "page", { id: page.id, content, status: "publish" }, strictly);
const shown = /<img[^>]*wp-image-[^>]*>/.exec(await (await fetch(link)).text())[0];
for (const attribute of [/ width="1024"/, / height="683"/, / srcset="[^"]+ 300w, [^"]+ 1200w/, / sizes="/]) {
    assert.match(shown, attribute);
}

// Delete.
assert.equal((await write.deleteEntityRecord(...MEDIA, sun.id, { force: true }, strictly)).deleted, true);
assert.equal((await fetch(src)).status, 404);

console.log("The session is over.");
process.exit(0);
