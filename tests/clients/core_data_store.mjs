// The store of npm `@wordpress/core-data`, whose requests `@wordpress/api-fetch` sends to a site.
import "./browser.mjs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { default: apiFetch } = require("@wordpress/api-fetch");
const data = require("@wordpress/data");
const { store } = require("@wordpress/core-data");

export function connect(url, username, password) {
    const authorization = "Basic " + btoa(`${username}:${password}`);
    apiFetch.use(apiFetch.createRootURLMiddleware(`${url}/wp-json/`));
    apiFetch.use((options, next) =>
        next({ ...options, headers: { ...options.headers, Authorization: authorization } }),
    );
    return {
        read: data.resolveSelect(store),
        known: data.select(store),
        write: data.dispatch(store),
    };
}
