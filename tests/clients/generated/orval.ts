import {
  createFeed, createPage, createWebhook, getFeed, getPage, getWebhook, listPages, updateFeed, updatePage,
  updateWebhook,
} from "./orval_client";
import { authorization, feed, page, url, webhook } from "./session";

// Its functions fetch a path.
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(`${url}${path}`, init);
const options = { headers: { Authorization: authorization } };

async function main() {
  const created = await createPage(page, options);
  if (created.status !== 201) throw new Error(created.data.message);
  const { id } = created.data;
  const read = await getPage(id, { context: "edit" }, options);
  if (read.status !== 200 || !("password" in read.data)) throw new Error("The page is not in the context edit.");
  await updatePage(id, { ...read.data, title: `${read.data.title.raw}!` }, options);
  const listed = await listPages({ include: [id, 0], per_page: 2 }, options);
  if (listed.status !== 200 || listed.data.length !== 1) throw new Error("It is not the page with its id.");

  const written = await createFeed(feed, options);
  if (written.status !== 201) throw new Error(written.data.message);
  const settings = await getFeed(written.data.id, undefined, options);
  if (settings.status !== 200) throw new Error("There is no feed.");
  await updateFeed(written.data.id, { ...settings.data, is_active: false }, options);

  const hook = await createWebhook(webhook, options);
  if (hook.status !== 201) throw new Error(hook.data.message);
  const stored = await getWebhook(hook.data.id, undefined, options);
  if (stored.status !== 200) throw new Error("There is no webhook.");
  const { types, description } = stored.data;
  await updateWebhook(hook.data.id, { types, description, active: false }, options);
}

main();
