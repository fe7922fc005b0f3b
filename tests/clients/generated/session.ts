// What each session writes, and the arguments of the program.
declare const process: { argv: string[] };

export const [url, authorization, name] = process.argv.slice(2) as [string, string, string];
export const page = {
  title: name,
  meta: { form_id: "7", gallery: [{ src: "/a.png" }, 1], language: ["en", { name: "German" }] },
};
export const feed = {
  form_id: 3,
  addon_slug: name,
  meta: { feedName: "News", tags: ["a", 1], own: [{ deep: [null] }], empty: "", map: { "1": "x" } },
};
export const webhook = { url: "https://example.com/hook", description: name, types: ["page.*" as const] };
