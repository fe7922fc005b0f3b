// Show schemas of the OpenAPI description: examples, and tables of fields.

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Return an element with a text whose parts in backticks are code.
export function prose(tag, text, properties = {}) {
  const parts = text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
  return make(tag, properties, ...parts);
}

export function resolve(description, schema) {
  if (!schema || !schema.$ref) return schema || {};
  return schema.$ref.slice(2).split("/").reduce((value, name) => value[name], description);
}

// Return the alternatives of a schema, if it has some.
export const partsOf = (schema) => schema.anyOf || schema.oneOf;

// Return an example of a value: that of the schema, or one from its parts.
export function example(description, reference) {
  const schema = resolve(description, reference);
  if (schema.examples) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (partsOf(schema)) return example(description, partsOf(schema)[0]);
  if (schema.properties) {
    const properties = Object.entries(schema.properties).filter(
      ([name]) => (schema.required || []).includes(name) || name === "content" || name === "status",
    );
    return Object.fromEntries(properties.map(([name, part]) => [name, example(description, part)]));
  }
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return { integer: Math.max(1, schema.minimum || 1), boolean: true, array: [], object: {} }[type] ?? "text";
}

function typesOf(description, reference) {
  const schema = resolve(description, reference);
  if (partsOf(schema)) return partsOf(schema).flatMap((part) => typesOf(description, part));
  if (schema.enum) return schema.enum.map((choice) => String(choice));
  const items = schema.items ? typesOf(description, schema.items).filter((type) => type !== "any") : [];
  const list = items.length ? `list of ${[...new Set(items)].join(" or ")}` : "list";
  return [schema.type ?? "any"].flat().map((type) => (type === "array" ? list : type));
}

// Return the types of a schema in words. Texts that stand for numbers or flags are left out.
export function typeOf(description, reference) {
  const types = [...new Set(typesOf(description, reference))];
  const isNumber = types.includes("integer") || types.includes("boolean");
  const names = types.includes("string") && isNumber && partsOf(resolve(description, reference))?.some((part) => part.pattern)
    ? types.filter((type) => type !== "string") : types;
  return names.join(" | ");
}

// Return the schema of an object: the schema itself, an alternative, or that of the items of a list.
function objectOf(description, reference) {
  const schema = resolve(description, reference);
  const parts = partsOf(schema) || (schema.items ? [schema.items] : []);
  if (schema.properties) return schema;
  return parts.map((part) => objectOf(description, part)).find((part) => part) || null;
}

function rows(description, reference, prefix, depth, isBody) {
  const schema = depth < 3 ? objectOf(description, reference) : null;
  if (!schema) return [];
  return Object.entries(schema.properties).flatMap(([name, part]) => {
    const isRequired = (schema.required || []).includes(name) && depth === 0 && isBody;
    const caption = make("td", {}, make("code", {}, prefix + name));
    if (isRequired) caption.append(make("span", { className: "required" }));
    const row = make(
      "tr", {}, caption,
      make("td", { className: "type" }, typeOf(description, part)),
      prose("td", part.description || resolve(description, part).description || ""),
    );
    return [row, ...rows(description, part, `${prefix}${name}.`, depth + 1, isBody)];
  });
}

// Return a table of the fields of a schema, at most three levels deep, or null. In a body required
// fields are marked.
export function fieldTable(description, schema, isBody) {
  const fields = rows(description, schema, "", 0, isBody);
  return fields.length ? make("div", { className: "wide" }, make("table", { className: "fields" }, ...fields)) : null;
}
