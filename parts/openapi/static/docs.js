// Show each operation of the OpenAPI description, with a form to try it. The credentials are only in
// the variable below: in no URL, in no storage, and gone when the page is closed.
import { example, fieldTable, make, partsOf, prose, resolve, typeOf } from "./fields.js";

let authorization = null;
const { root, access } = document.documentElement.dataset;
const main = document.getElementById("operations");
const callerText = document.getElementById("who");
const nameInput = /** @type {HTMLInputElement} */ (document.getElementById("name"));
const secretInput = /** @type {HTMLInputElement} */ (document.getElementById("secret"));
// A session is a cookie. Otherwise the browser must not send its own credentials, or ask for some.
const cookies = access === "session" ? "same-origin" : "omit";
const NO_CALLER = {
  local: "",
  session: "Not signed in. Sign in to the application that this service is a part of, and load this page again.",
  credentials: "No credentials: only published pages can be read.",
};

function parameterInput(description, parameter) {
  const resolved = resolve(description, parameter.schema);
  const schema = { ...resolved, ...partsOf(resolved)?.[0] };
  const caption = make("span", { className: parameter.required ? "name required" : "name" }, parameter.name);
  let input;
  if (schema.enum || schema.type === "boolean") {
    input = make("select", {}, make("option", { value: "" }, schema.default ? `(${schema.default})` : ""));
    for (const choice of schema.enum || ["true", "false"]) input.append(make("option", {}, choice));
  } else {
    const sample = schema.default ?? schema.examples?.[0] ?? typeOf(description, schema);
    const hint = schema.type === "array" ? "a,b,c" : String(sample);
    input = make("input", { placeholder: hint });
    if (parameter.required) input.value = "1";
  }
  input.name = parameter.name;
  input.dataset.place = parameter.in;
  return make("label", {}, caption, input, prose("small", parameter.description || ""));
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
  const search = query.size ? `?${query}` : "";
  return { headers, url: root + path + search };
}

async function send(form, method, path, output) {
  const { headers, url } = requestOf(form, path);
  const body = form.querySelector("textarea");
  /** @type {HTMLInputElement | null} */
  const input = form.querySelector("[type=file]");
  const file = input?.files?.[0];
  if (body) headers.set("Content-Type", "application/json");
  if (file) headers.set("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
  output.hidden = false;
  output.textContent = "…";
  try {
    /** @type {RequestInit} */
    const options = { method, headers, cache: "no-store", credentials: cookies };
    const response = await fetch(url, body || file ? { ...options, body: body ? body.value : file } : options);
    const text = await response.text();
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    output.textContent = `${response.status} ${response.statusText}\n${lines.join("\n")}\n\n${pretty(text)}`;
  } catch (error) {
    output.textContent = `No response came: ${error.message}`;
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// The description of a response; for an error that of each of its codes.
function meaning(response) {
  const examples = Object.values(response.content?.["application/json"]?.examples || {}).map(({ value }) => value);
  if (!examples.length) return [prose("p", response.description)];
  return examples.map(({ code, message }) => make("p", {}, make("code", {}, code), ` ${message}`));
}

function responseParts(description, operation) {
  const table = make("table", {});
  const parts = [make("h3", {}, "Responses"), table];
  for (const [status, response] of Object.entries(operation.responses)) {
    table.append(make("tr", {}, make("td", {}, status), make("td", {}, ...meaning(response))));
    const fields = status < "300" && fieldTable(description, response.content?.["application/json"]?.schema);
    if (fields) parts.push(make("h3", {}, `Fields of the response ${status}`), fields);
  }
  return parts;
}

function operationForm(description, path, method, operation) {
  const form = make("form", { className: "inside", autocomplete: "off" });
  form.append(prose("p", operation.description || ""));
  const parameters = make("div", { className: "parameters" });
  for (const parameter of operation.parameters || []) parameters.append(parameterInput(description, parameter));
  if (parameters.children.length) form.append(make("h3", {}, "Parameters"), parameters);
  if (operation.requestBody) {
    const body = operation.requestBody.content["application/json"];
    form.append(make("h3", {}, "Body"));
    if (body) {
      const value = JSON.stringify(body.example || example(description, body.schema), null, 2);
      form.append(make("textarea", { value, ariaLabel: "Body", spellcheck: false }));
      form.append(fieldTable(description, body.schema, true) || "");
    } else form.append(make("input", { type: "file", ariaLabel: "File" }));
  }
  const output = make("pre", { hidden: true, className: "answer", ariaLive: "polite" });
  form.append(make("button", {}, "Send"), output, ...responseParts(description, operation));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, method.toUpperCase(), path, output);
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
    if (details.open && details.children.length === 1) details.append(operationForm(description, path, method, operation));
  });
  return details;
}

function show(description) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = (operation.tags || ["Other"])[0];
      if (!groups.has(tag)) groups.set(tag, make("section", {}, make("h2", {}, tag)));
      groups.get(tag).append(operationOf(description, path, method, operation));
    }
  }
  main.replaceChildren(...groups.values());
}

function say(text, isWrong = false) {
  callerText.textContent = text;
  callerText.classList.toggle("wrong", isWrong);
  secretInput.setAttribute("aria-invalid", String(isWrong));
}

// Ask the service for the caller of some credentials, and show the answer.
async function identify(credentials) {
  authorization = null;
  try {
    const headers = credentials ? { Authorization: credentials } : {};
    const response = await fetch(`${root}/whoami`, { headers, cache: "no-store", credentials: cookies });
    const answer = await response.json();
    if (response.ok && access === "local") {
      say("Local mode: there are no credentials yet, and requests from this machine may do everything.");
    } else if (response.ok) {
      authorization = credentials;
      say(`Signed in as ${answer.name}: ${answer.scopes.join(", ") || "no scopes"}`);
    } else if (credentials || access === "local") {
      say(credentials ? `Not accepted: ${answer.message} Requests are sent without credentials.` : answer.message, true);
    } else {
      say(NO_CALLER[access]);
    }
  } catch (error) {
    say(`No response came: ${error.message}`, true);
  }
}

document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = nameInput.value;
  const secret = secretInput.value;
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  identify(name ? `Basic ${btoa(String.fromCharCode(...bytes))}` : secret ? `Bearer ${secret}` : null);
});

if (access === "credentials") say(NO_CALLER[access]);
else identify(null);

fetch(`${root}/openapi.json`, { cache: "no-cache", credentials: cookies })
  .then((response) => response.json())
  .then(show)
  .catch((error) => main.replaceChildren(make("p", {}, `The description did not come: ${error.message}`)));
