// Components of screens: headings, messages, fields, tables, paging and dialogs.
import { Link, address, counted, html, observable, refine, useEffect, useId, useLayoutEffect, useRef, useSettled, useState } from "./lib.js";
import { inBrowserZone, localBound } from "./api.js";

// The message about the last action: `{text, level, count, time}`, or null.
const notice = observable(null);
const NOTICE_MILLISECONDS = 10000;
let count = 0;
/** Show a message about an action, with the level `success`, `info`, `warning` or `error`. */
export const say = (text, level = "success") => notice.set(text ? { text, level, count: (count += 1), path: String(address.get().path) } : null);
/** Take back the message about a success, after which something failed. */
export const unsay = () => ["success", "info"].includes(notice.get()?.level) && say("");
/** Show what was done, and perhaps a warning of the service about it. */
export const sayDone = (text, warning) => say([text, warning].filter(Boolean).join(" "), warning ? "warning" : "success");
// A message belongs to its screen. An action that opens another screen says what it did afterwards.
address.listen(({ path }) => notice.get()?.path !== String(path) && say(""));

/** The message about the last action. Warnings and errors stay until they are closed. */
export function Notice() {
  const message = notice.use();
  useEffect(() => {
    if (!message || ["warning", "error"].includes(message.level)) return undefined;
    const timer = setTimeout(() => notice.get() === message && say(""), NOTICE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [message]);
  // A screen reader reads the same text again, as it is a new element.
  return html`<div class="notice ${message?.level || ""}" role="status">${message && html`<span key=${message.count}>${message.text}</span> <button class="plain" onClick=${() => say("")}>Close</button>`}</div>`;
}

/** A screen with its heading, actions and content. */
export function Screen({ title, actions, children }) {
  const heading = useRef();
  useEffect(() => {
    document.title = `${title} – ${document.documentElement.dataset.title}`;
  }, [title]);
  useEffect(() => heading.current.focus({ preventScroll: true }), []);
  return html`<div class="screen-head"><h1 tabindex="-1" ref=${heading}>${title}</h1><div class="actions">${actions}</div></div>${children}`;
}

/** An error of the service: its message, and the messages about fields that do not show their own. */
export function Problem({ error, fields = [] }) {
  if (!error) return null;
  const messages = Object.entries(error.params || {}).filter(([name]) => !fields.includes(name.split(".").pop()));
  return html`<div class="problem" role="alert">
    <p>${error.message}</p>
    ${messages.length > 0 && html`<ul>${messages.map(([name, text]) => html`<li><code>${name}</code>: ${String(text)}</li>`)}</ul>`}
  </div>`;
}

/**
 * The state of `useLoad`: `children(data)`, below an error if the last load has failed. `title` is
 * the heading of a screen without data, where the one of `children` has another.
 */
export function Loaded({ state: { data, error, loading, reload }, title, children }) {
  if (!data && !error) return html`<p class="hint" role="status">Loading …</p>`;
  return html`${!data && title && html`<${Screen} title=${title} />`}${error && html`<${Problem} error=${error} /><p><button onClick=${reload}>Try again</button></p>`}
    ${data && html`<div class="loaded" key="loaded" aria-busy=${loading}>${children(data)}</div>`}`;
}

/** A labelled field. `control(attributes)` returns its element. */
function Labelled({ label, name, hint, error, control }) {
  const id = useId();
  const message = error?.params?.[name] || error?.params?.[`meta.${name}`];
  const about = [hint && `${id}-hint`, message && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control({ id, name, "aria-describedby": about || undefined, "aria-invalid": message ? "true" : undefined })}
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${message && html`<p class="field-error" id="${id}-error">${String(message)}</p>`}
  </div>`;
}

/** Return a component for a field that writes each change. `control` gets its attributes, and what else it has. */
const labelled = (control, written = "onInput") => ({ label, name, hint, error, value, change, onProblem, ...more }) => html`<${Labelled} ...${{ label, name, hint, error }}
  control=${(attributes) => control({ ...attributes, value: value ?? "", [written]: (event) => change(event.target.value) }, more)} />`;

/** A field of one line. Without a maximum browsers take years of six digits. */
export const Text = labelled((attributes, more) => html`<input type="text" autocomplete="off" max=${more.type === "date" ? "9999-12-31" : undefined} ...${more} ...${attributes} />`);

/** A field of several lines, below `tools` if there are any. */
export const LongText = labelled((attributes, { tools, ...more }) => html`${tools}<textarea ...${more} ...${attributes}></textarea>`);

/** A choice among `options`: values, or pairs of a value and its label. It is never blank: another value is added, and no value is the first one. */
export const Choice = labelled((attributes, { options }) => {
  const pairs = options.map((option) => [option].flat());
  const isKnown = pairs.some(([key]) => String(key) === String(attributes.value));
  const value = isKnown || attributes.value !== "" ? attributes.value : pairs[0][0];
  return html`<select ...${attributes} value=${value}>${[...pairs, ...(isKnown || attributes.value === "" ? [] : [[value]])].map(([key, text = key]) =>
    html`<option value=${key} selected=${String(key) === String(value)}>${text}</option>`)}</select>`;
}, "onChange");

/** A filter: its text becomes a part of the address after a pause in typing. */
export function Filter({ name, query, ...attrs }) {
  const value = query[name] || "";
  const [text, setText] = useState(value);
  const settled = useSettled(text.trim(), 300);
  const sent = useRef(value);
  useEffect(() => {
    // A link or the history has changed the address.
    if (value !== sent.current) setText((sent.current = value));
  }, [value]);
  useEffect(() => {
    if (settled !== sent.current && settled === text.trim()) refine({ [name]: (sent.current = settled), page: "" }, { replace: true });
  }, [settled]);
  return html`<${Text} ...${attrs} name=${name} value=${text} change=${setText} />`;
}

/** Values for those who may only read: pairs of a label and a value, of which empty ones are left out. */
export const Values = ({ pairs }) => html`<dl class="values">${pairs.filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;

/** A checkbox. */
export function Check({ label, value, change, error, onProblem, ...attrs }) {
  const id = useId();
  return html`<div class="check"><input type="checkbox" id=${id} checked=${Boolean(value)} onChange=${(event) => change(event.target.checked)} ...${attrs} /><label for=${id}>${label}</label></div>`;
}

const DATE = /^(\d{4,6}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?$/;

/** A date, perhaps with a time, in the local time of the site. Other values are edited as text. */
export function DateTime({ label, name, hint, error, value = "", change, needsTime = false }) {
  const parts = value === "" ? ["", "", ""] : DATE.exec(value);
  const input = useRef();
  if (!parts) return html`<${Text} ...${{ label, name, hint, error, value, change }} />`;
  const [, date, time = ""] = parts;
  const set = (day, hour) => change(day && (hour || needsTime) ? `${day}T${`${hour || "00:00"}:00`.slice(0, 8)}` : day);
  // While somebody types, a date may be incomplete: it is no empty one.
  const setDate = ({ target }) => target.validity.badInput || set(target.value, time);
  const clear = () => {
    change("");
    input.current.focus();
  };
  const here = date && (time || needsTime) ? inBrowserZone(value) : "";
  return html`<${Labelled} ...${{ label, name, error }} hint=${[hint, here && `For you: ${here}`].filter(Boolean).join(". ")} control=${(attributes) => html`<div class="date-time">
    <input type="date" max="9999-12-31" ref=${input} ...${attributes} value=${date} onInput=${setDate} />
    <input type="time" step="1" aria-label="${label}: time" value=${time} disabled=${!date} onInput=${(event) => set(date, event.target.value)} />
    ${date && html`<button type="button" class="plain" aria-label="Clear: ${label}" onClick=${clear}>Clear</button>`}
  </div>`} />`;
}

/** Any value as JSON; `change` gets valid values, `onProblem` a message, or "" for a valid text. */
export function Json({ label, name, hint, error, value, change, rows = 6, onProblem }) {
  const json = JSON.stringify(value, null, 2) ?? "";
  const [text, setText] = useState(json);
  const [problem, setProblem] = useState("");
  const sent = useRef(json);
  useEffect(() => {
    // The value was changed outside of this field.
    if (json !== sent.current) setText((sent.current = json));
  }, [json]);
  const edit = (next) => {
    setText(next);
    let message = "";
    try {
      const parsed = JSON.parse(next);
      sent.current = JSON.stringify(parsed, null, 2);
      change(parsed);
    } catch (failure) {
      message = failure instanceof SyntaxError ? `This is not JSON: ${failure.message}` : failure.message;
    }
    setProblem(message);
    onProblem?.(message);
  };
  return html`<${LongText} ...${{ label, name, hint }} error=${problem ? { params: { [name]: problem } } : error} value=${text} change=${edit} rows=${rows} class="code" spellcheck="false" />`;
}

/**
 * A table of the columns that are objects; on a narrow screen its cells have the labels of their columns.
 * If a row with the focus is removed, the next row gets the focus.
 */
export function Table({ caption, columns, rows, rowKey = (row) => row.id, rowProps, empty }) {
  const shown = columns.filter(Boolean);
  const body = useRef();
  const focused = document.activeElement;
  const place = body.current ? [...body.current.rows].findIndex((row) => row.contains(focused)) : -1;
  const cell = /** @type {HTMLTableCellElement} */ (focused?.closest("td, th"))?.cellIndex;
  useLayoutEffect(() => {
    // A moved row loses the focus too.
    if (place < 0 || document.activeElement === focused) return;
    const row = body.current && body.current.rows[Math.min(place, body.current.rows.length - 1)];
    (focused.isConnected ? focused : row?.cells[cell].querySelector("a, button, input") || document.querySelector("h1")).focus();
  });
  if (!rows.length) return html`<p class="empty">${empty}</p>`;
  return html`<table><caption class="quiet">${caption}</caption>
    <thead><tr>${shown.map(({ label, heading = label, sort }) => (heading ? html`<th scope="col" aria-sort=${sort}>${heading}</th>` : html`<td></td>`))}</tr></thead>
    <tbody ref=${body}>${rows.map((row) => html`<tr key=${rowKey(row)} ...${rowProps?.(row)}>${shown.map(({ label, cell, main, kind }) =>
      main ? html`<th scope="row" data-label=${label}>${cell(row)}</th>` : html`<td data-label=${label} class=${kind}>${cell(row)}</td>`)}</tr>`)}</tbody>
  </table>`;
}

/**
 * The rows that are selected: `column` of a table has a box for each, `chosen` are those that are shown, and `clear` selects none.
 * `nameOf(row)` names a row; nothing is selected when `key` changes.
 */
export function useSelection(rows, nameOf, key) {
  const [ids, setIds] = useState([]);
  const clear = () => setIds([]);
  useEffect(clear, [key]);
  const chosen = rows.filter(({ id }) => ids.includes(id));
  const box = (label, value, change) => html`<input type="checkbox" aria-label=${label} checked=${value} onChange=${(event) => change(event.target.checked)} />`;
  const column = {
    label: "", heading: box("Select all", chosen.length === rows.length, (isOn) => setIds(isOn ? rows.map(({ id }) => id) : [])),
    cell: (row) => box(`Select ${nameOf(row)}`, ids.includes(row.id), (isOn) => setIds((now) => (isOn ? [...now, row.id] : now.filter((id) => id !== row.id)))),
  };
  return { chosen, clear, column };
}

/** Return the key of the open tab: that of the address, or else the first one. */
export const openTabOf = (tabs, key) => (tabs.some(([name]) => name === key) ? key : tabs[0][0]);

/** The parts of a list: the key of each, its name, and perhaps the number of its rows. */
export function Tabs({ label, tabs, name = "status" }) {
  const { path: [place], query } = address.get();
  const [first] = tabs[0];
  return html`<nav class="tabs" aria-label=${label}>${tabs.map(([key, text, rows]) => html`<${Link} path=${place} query=${{ ...query, page: "", [name]: key === first ? "" : key }} aria-current=${key === openTabOf(tabs, query[name]) ? "true" : undefined}>
    ${text}${rows != null && html` <span class="count">${rows.toLocaleString("en")}</span>`}<//>`)}</nav>`;
}

/** The navigation through the pages of results of a list; `what` is the noun of its items. */
export function Paging({ pages, total, what }) {
  const page = +address.get().query.page || 1;
  const step = (number, text) => html`<button disabled=${number < 1 || number > pages} onClick=${() => refine({ page: number })}>${text}</button>`;
  return html`<nav class="paging" aria-label="Pages of results">
    <span>${counted(total, what)}${pages > 1 ? `, page ${page} of ${pages.toLocaleString("en")}` : ""}</span>
    ${pages > 1 && html`${step(page - 1, "Previous")} ${step(page + 1, "Next")}`}
  </nav>`;
}

/** A table of the `items` of a loaded list, what `children(items)` returns, and the navigation through its pages of results. */
export const List = ({ state, what, children, ...table }) => html`<${Loaded} state=${state}>${({ items, total, pages }) => html`
  <${Table} ...${table} rows=${items} />${children?.(items)}<${Paging} ...${{ pages, total, what }} />`}<//>`;

/** A modal dialog. */
export function Dialog({ title, close, children }) {
  const element = useRef();
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog.showModal();
    // Closing restores the focus.
    return () => dialog.close();
  }, []);
  return html`<dialog ref=${element} aria-labelledby=${id} onCancel=${(event) => { event.preventDefault(); close?.(); }}>
    <h2 id=${id}>${title}</h2>${children}
  </dialog>`;
}

/** A text with a button that copies it. */
export function Copied({ label, text, hint }) {
  const copy = async (event) => {
    const input = event.target.parentElement.querySelector("input");
    input.select();
    // Browsers offer the clipboard over https and on localhost only.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else document.execCommand("copy");
    say(`${label}: copied.`);
  };
  return html`<${Labelled} label=${label} hint=${hint} control=${(attributes) => html`<div class="copied">
    <input type="text" readonly ...${attributes} value=${text} /> <button type="button" onClick=${copy}>Copy</button></div>`} />`;
}

/** A button that asks for confirmation; what is asked about is in the dialog. */
export function Confirmed({ label, question, act, children, ...attrs }) {
  const [isOpen, setOpen] = useState(false);
  const confirm = () => {
    setOpen(false);
    act();
  };
  return html`<button type="button" ...${attrs} onClick=${() => setOpen(true)}>${label}</button>
    ${isOpen && html`<${Dialog} title=${question} close=${() => setOpen(false)}>${children}
      <div class="actions"><button type="button" class="danger" onClick=${confirm}>${label}</button>
      <button type="button" onClick=${() => setOpen(false)} autofocus>Cancel</button></div>
    <//>`}`;
}

/**
 * Run an action, or the function that is given to `run`, never twice at a time: `[run, isRunning, error]`.
 * @param {(...values: any[]) => any} action
 * @returns {[(...values: any[]) => Promise<void>, boolean, any]}
 */
export function useAction(action = (act) => act()) {
  const [{ isRunning, error }, setState] = useState({ isRunning: false, error: null });
  const running = useRef(false);
  const pressed = useRef();
  useLayoutEffect(() => {
    const button = pressed.current;
    // A button loses the focus while it is disabled.
    if (button && !isRunning && [button, document.body].includes(document.activeElement)) (button.isConnected && !button.disabled ? button : document.querySelector("h1")).focus({ preventScroll: true });
  }, [isRunning]);
  const run = async (...values) => {
    if (running.current) return;
    running.current = true;
    pressed.current = document.activeElement;
    setState({ isRunning: true, error: null });
    let failure = null;
    try {
      await action(...values);
    } catch (problem) {
      failure = problem;
      unsay();
    }
    running.current = false;
    setState({ isRunning: false, error: failure });
  };
  return [run, isRunning, error];
}

/** Return a time of the service for people to read, one with an offset in the local time of the site. */
export const displayTime = (text) => (/[T ]\S*(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text) ? localBound("starts", text) : text || "").replace("T", " ");
