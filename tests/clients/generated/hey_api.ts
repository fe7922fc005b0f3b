import {
  createFeed, createPage, createWebhook, getFeed, getPage, getWebhook, listPages, updateFeed, updatePage,
  updateWebhook,
} from "./hey_api_client";
import { client } from "./hey_api_client/client.gen";
import { authorization, feed, page, url, webhook } from "./session";

client.setConfig({ baseUrl: url, headers: { Authorization: authorization }, throwOnError: true });

async function main() {
  const { id } = (await createPage({ body: page })).data!;
  const path = { page_id: id };
  const read = (await getPage({ path, query: { context: "edit" } })).data!;
  if (!("password" in read)) throw new Error("The page is not in the context edit.");
  await updatePage({ path, body: { ...read, title: `${read.title.raw}!` } });
  const listed = (await listPages({ query: { include: [id, 0], per_page: 2 } })).data!;
  if (listed.length !== 1) throw new Error(`There are ${listed.length} pages with its id.`);

  const feed_id = (await createFeed({ body: feed })).data!.id;
  const settings = (await getFeed({ path: { feed_id } })).data!;
  await updateFeed({ path: { feed_id }, body: { ...settings, is_active: false } });

  const webhook_id = (await createWebhook({ body: webhook })).data!.id;
  const { types, description } = (await getWebhook({ path: { webhook_id } })).data!;
  await updateWebhook({ path: { webhook_id }, body: { types, description, active: false } });
}

main();
