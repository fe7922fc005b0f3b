// Every collection that npm `dewp` loads from a site, each held against a schema of its own.
import { wpCollections } from "dewp/loaders";

export const collections = wpCollections({ endpoint: `${process.env.SITE}/wp-json/` });
