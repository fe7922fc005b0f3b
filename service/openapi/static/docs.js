// Reads the description and makes of each operation something to read and to try. Credentials stay
// in this variable: they are in no address and no storage, and gone with the page.
"use strict";

let authorization = null;
const root = document.documentElement.dataset.root;
const main = document.getElementById("operations");

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function resolve(description, schema) {
  if (!schema || !schema.$ref) return schema || {};
  return schema.$ref.slice(2).split("/").reduce((at, name) => at[name], description);
}

// An example of what a schema takes: its own, its default, or one made of its parts.
function example(description, given) {
  const schema = resolve(description, given);
  if (schema.examples) return schema.examples[0];
  if (schema.anyOf) return example(description, schema.anyOf[0]);
  if (schema.properties) {
    const wanted = Object.entries(schema.properties).filter(
      ([name]) => (schema.required || []).includes(name) || name === "content" || name === "status",
    );
    return Object.fromEntries(wanted.map(([name, part]) => [name, example(description, part)]));
  }
  if (schema.enum) return schema.default || schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  return { integer: Math.max(1, schema.minimum || 1), boolean: true, array: [], object: {} }[type] ?? "text";
}

function parameterInput(description, parameter) {
  const given = resolve(description, parameter.schema);
  const schema = given.anyOf ? { ...given, ...given.anyOf[0] } : given;
  const caption = make("span", { className: parameter.required ? "required" : "" }, parameter.name);
  let input;
  if (schema.enum || schema.type === "boolean") {
    input = make("select", {}, make("option", { value: "" }, ""));
    for (const choice of schema.enum || ["true", "false"]) input.append(make("option", {}, choice));
  } else {
    const hint = schema.type === "array" ? "a,b,c" : String(schema.default ?? schema.type ?? "");
    input = make("input", { placeholder: hint });
    if (parameter.required) input.value = "1";
  }
  input.name = parameter.name;
  input.title = parameter.description || parameter.name;
  input.dataset.place = parameter.in;
  return make("label", {}, caption, input);
}

function requestOf(form, path) {
  const headers = new Headers({ Accept: "application/json" });
  const query = new URLSearchParams();
  if (authorization) headers.set("Authorization", authorization);
  for (const input of form.querySelectorAll("[data-place]")) {
    if (input.value === "") continue;
    if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.dataset.place === "query") query.set(input.name, input.value);
    else headers.set(input.name, input.value);
  }
  const asked = query.toString();
  return { headers, address: root + path + (asked ? `?${asked}` : "") };
}

async function send(form, method, path, shown) {
  const { headers, address } = requestOf(form, path);
  const body = form.querySelector("textarea");
  if (body) headers.set("Content-Type", "application/json");
  shown.hidden = false;
  shown.textContent = "…";
  try {
    const options = { method, headers, cache: "no-store", credentials: "omit" };
    const response = await fetch(address, body ? { ...options, body: body.value } : options);
    const text = await response.text();
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    shown.textContent = `${response.status} ${response.statusText}\n${lines.join("\n")}\n\n${pretty(text)}`;
  } catch (error) {
    shown.textContent = `No response came: ${error.message}`;
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function inside(description, path, method, operation) {
  const form = make("form", { className: "inside", autocomplete: "off" });
  form.append(make("p", {}, operation.description || ""));
  const parameters = make("div", { className: "parameters" });
  for (const parameter of operation.parameters || []) parameters.append(parameterInput(description, parameter));
  if (parameters.children.length) form.append(make("h3", {}, "Parameters"), parameters);
  if (operation.requestBody) {
    const body = operation.requestBody.content["application/json"];
    const value = JSON.stringify(body.example || example(description, body.schema), null, 2);
    form.append(make("h3", {}, "Body"), make("textarea", { value, ariaLabel: "Body", spellcheck: false }));
  }
  const responses = make("table", {});
  for (const [status, response] of Object.entries(operation.responses)) {
    responses.append(make("tr", {}, make("td", {}, status), make("td", {}, response.description)));
  }
  const shown = make("pre", { hidden: true, className: "answer", ariaLive: "polite" });
  form.append(make("button", {}, "Send"), shown, make("h3", {}, "Responses"), responses);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, method.toUpperCase(), path, shown);
  });
  return form;
}

function operationOf(description, path, method, operation) {
  const summary = make(
    "summary", {},
    make("span", { className: `verb ${method}` }, method.toUpperCase()),
    make("span", { className: "path" }, path),
    make("span", {}, operation.summary || ""),
  );
  const details = make("details", { id: operation.operationId }, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(description, path, method, operation));
  });
  return details;
}

function show(description) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = (operation.tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, make("section", {}, make("h2", {}, tag)));
      groups.get(tag).append(operationOf(description, path, method, operation));
    }
  }
  main.replaceChildren(...groups.values());
}

document.getElementById("access").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = document.getElementById("name").value;
  const secret = document.getElementById("secret").value;
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  authorization = name ? `Basic ${btoa(String.fromCharCode(...bytes))}` : secret ? `Bearer ${secret}` : null;
  const headers = authorization ? { Authorization: authorization } : {};
  const response = await fetch(`${root}/whoami`, { headers, cache: "no-store", credentials: "omit" });
  const found = await response.json();
  const who = document.getElementById("who");
  who.textContent = response.ok ? `${found.name}: ${found.scopes.join(" ")}` : found.message;
});

fetch(`${root}/openapi.json`, { cache: "no-cache" })
  .then((response) => response.json())
  .then(show)
  .catch((error) => main.replaceChildren(make("p", {}, `The description did not come: ${error.message}`)));
