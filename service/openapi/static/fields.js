// Schemas as people read them: an example of what one takes, and a table of its fields.

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// A text whose parts in backticks are code.
export function prose(tag, text, properties = {}) {
  const parts = text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
  return make(tag, properties, ...parts);
}

export function resolve(description, schema) {
  if (!schema || !schema.$ref) return schema || {};
  return schema.$ref.slice(2).split("/").reduce((at, name) => at[name], description);
}

// The schemas of which one describes what a schema takes, if there are several.
export const partsOf = (schema) => schema.anyOf || schema.oneOf;

// An example of what a schema takes: its own, its default, or one made of its parts.
export function example(description, given) {
  const schema = resolve(description, given);
  if (schema.examples) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (partsOf(schema)) return example(description, partsOf(schema)[0]);
  if (schema.properties) {
    const wanted = Object.entries(schema.properties).filter(
      ([name]) => (schema.required || []).includes(name) || name === "content" || name === "status",
    );
    return Object.fromEntries(wanted.map(([name, part]) => [name, example(description, part)]));
  }
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return { integer: Math.max(1, schema.minimum || 1), boolean: true, array: [], object: {} }[type] ?? "text";
}

function typesOf(description, given) {
  const schema = resolve(description, given);
  if (partsOf(schema)) return partsOf(schema).flatMap((part) => typesOf(description, part));
  if (schema.enum) return schema.enum.map((choice) => String(choice));
  const items = schema.items ? typesOf(description, schema.items).filter((type) => type !== "any") : [];
  const list = items.length ? `list of ${[...new Set(items)].join(" or ")}` : "list";
  return [schema.type ?? "any"].flat().map((type) => (type === "array" ? list : type));
}

// The types of a schema in words; numbers and flags may also come as text, which goes without saying.
export function typeOf(description, given) {
  const types = [...new Set(typesOf(description, given))];
  const isNumber = types.includes("integer") || types.includes("boolean");
  const kept = types.includes("string") && isNumber && partsOf(resolve(description, given))?.some((part) => part.pattern)
    ? types.filter((type) => type !== "string") : types;
  return kept.join(" | ");
}

// The object that a schema describes, if it does: of several the first, of a list its items.
function objectOf(description, given) {
  const schema = resolve(description, given);
  const parts = partsOf(schema) || (schema.items ? [schema.items] : []);
  if (schema.properties) return schema;
  return parts.map((part) => objectOf(description, part)).find((part) => part) || null;
}

function rows(description, given, before, depth, isBody) {
  const schema = depth < 3 ? objectOf(description, given) : null;
  if (!schema) return [];
  return Object.entries(schema.properties).flatMap(([name, part]) => {
    const isRequired = (schema.required || []).includes(name) && depth === 0 && isBody;
    const caption = make("td", {}, make("code", {}, before + name));
    if (isRequired) caption.append(make("span", { className: "required" }));
    const row = make(
      "tr", {}, caption,
      make("td", { className: "type" }, typeOf(description, part)),
      prose("td", part.description || resolve(description, part).description || ""),
    );
    return [row, ...rows(description, part, `${before}${name}.`, depth + 1, isBody)];
  });
}

// A table of the fields of a schema, at most three levels deep; null where it has none. Of a body
// it says which are required.
export function fieldTable(description, schema, isBody) {
  const found = rows(description, schema, "", 0, isBody);
  return found.length ? make("div", { className: "wide" }, make("table", { className: "fields" }, ...found)) : null;
}
