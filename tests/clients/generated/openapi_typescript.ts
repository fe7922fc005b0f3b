import createClient from "openapi-fetch";
import type { paths } from "./openapi_typescript_client";
import { authorization, feed, page, url, webhook } from "./session";

const client = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: authorization },
  querySerializer: { array: { style: "form", explode: false } },
});

async function main() {
  const { id } = (await client.POST("/pages", { body: page })).data!;
  const path = { page_id: id };
  const read = (await client.GET("/pages/{page_id}", { params: { path, query: { context: "edit" } } })).data!;
  if (!("password" in read)) throw new Error("The page is not in the context edit.");
  const title = `${read.title.raw}!`;
  await client.PUT("/pages/{page_id}", { params: { path }, body: { ...read, title } });
  const listed = (await client.GET("/pages", { params: { query: { include: [id, 0], per_page: 2 } } })).data!;
  if (listed.length !== 1) throw new Error(`There are ${listed.length} pages with its id.`);

  const created = (await client.POST("/feeds", { body: feed })).data!;
  const params = { path: { feed_id: created.id } };
  const settings = (await client.GET("/feeds/{feed_id}", { params })).data!;
  await client.PUT("/feeds/{feed_id}", { params, body: { ...settings, is_active: false } });

  const webhook_id = (await client.POST("/webhooks", { body: webhook })).data!.id;
  const hook = { params: { path: { webhook_id } } };
  const { types, description } = (await client.GET("/webhooks/{webhook_id}", hook)).data!;
  await client.PATCH("/webhooks/{webhook_id}", { ...hook, body: { types, description, active: false } });
}

main();
