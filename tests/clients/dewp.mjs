// npm `dewp`, which loads a site into the typed collections of Astro, as its users configure it.
// Usage: node dewp.mjs <url> <username> <password>, on an empty database.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import WPAPI from "wpapi";

const [url, username, password] = process.argv.slice(2);
const here = fileURLToPath(new URL(".", import.meta.url));

// It only reads: another client writes what it finds.
const editor = new WPAPI({ endpoint: `${url}/wp-json`, username, password, auth: true });
for (const title of ["Spring", "Summer", "Autumn"]) {
    await editor.pages().create({ title, content: `All of ${title}`, status: "publish" });
}

// A project of Astro that loads every collection; each is checked as it comes in.
const project = mkdtempSync(join(tmpdir(), "dewp-"));
cpSync(join(here, "dewp"), project, { recursive: true });
symlinkSync(join(here, "node_modules"), join(project, "node_modules"));
const astro = join(here, "node_modules", "astro", "astro.js");
const env = { ...process.env, SITE: url, ASTRO_TELEMETRY_DISABLED: "1" };
const stdio = ["ignore", "ignore", "inherit"];
execFileSync(process.execPath, [astro, "sync", "--force"], { cwd: project, env, stdio });

const loaded = readFileSync(join(project, "loaded", "data-store.json"), "utf8");
for (const title of ["Spring", "Summer", "Autumn", "Author 1", "Published"]) {
    assert.ok(loaded.includes(title), title);
}

console.log("The session is over.");
