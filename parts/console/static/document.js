// An edited page, feed or webhook: its draft, which the browser stores without passwords; its version, and what others have
// saved meanwhile; the bar that stays in view, with the state and the actions; and the choice between two versions.
import { askBeforeLeaving, go, html, useEffect, useRef, useState } from "./lib.js";
import { caller, local, root } from "./api.js";
import { Choice, Problem, displayTime, say, sayDone, unsay, useAction } from "./ui.js";

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export const isObject = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);

/** Return all values by path: those of an object, such as the meta, as `meta.form_id`. */
export const flat = (values) => Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (isObject(value) ? Object.entries(value).map(([key, item]) => [`${name}.${key}`, item]) : [[name, value]])));

/** Return the changed values by path; those that were removed are undefined. */
function changesOf(values, base) {
  const [now, before] = [flat(values), flat(base)];
  const paths = Object.keys({ ...before, ...now });
  return Object.fromEntries(paths.filter((path) => !same(now[path], before[path])).map((path) => [path, now[path]]));
}

/** Return the values with changes by path. */
export function withChanges(base, changes) {
  const values = { ...base };
  for (const [path, value] of Object.entries(changes)) {
    const [, group, key] = /^(\w+)\.(.*)$/s.exec(path) || [];
    const [target, name] = group ? [(values[group] = { ...values[group] }), key] : [values, path];
    if (value === undefined) delete target[name];
    else target[name] = value;
  }
  return values;
}

/** Return the changes with the values that a draft is based on; JSON has no undefined. */
const draftOf = (changes, base) => ({ changes: Object.entries(changes).map(([path, value]) => (value === undefined ? [path] : [path, value])), before: Object.fromEntries(Object.keys(changes).map((path) => [path, flat(base)[path]])) });

/**
 * Edit a document.
 *
 * `stored` is `{values, etag}`, and what else the screen needs. `draft` names the draft in the
 * browser; without a name, and for what no draft has, the user is asked before leaving. After a
 * discard the fields are made anew: `discards` is a part of their key. `load()`
 * returns what is stored now. `send(values, changes, stored)` saves, and returns what is stored
 * then, with the screen that `opens` if there is one, or nothing. A 412 becomes a `conflict`.
 * `adapt(changes, before, theirs)` returns the changes as they fit what others have stored
 * meanwhile. `field(path)` has the attributes of a field, whose label is in `labels`.
 */
export function useDocument({ stored: loaded, draft = "", load, send, labels = {}, saved = "Saved.", adapt = (changes, _before, _theirs) => changes }) {
  const [restored, setRestored] = useState(() => {
    const kept = draft && readDraft(draft);
    return kept && { ...kept, changes: adapt(Object.fromEntries(kept.changes), kept.before, loaded) };
  });
  const [stored, setStored] = useState(loaded);
  const [values, setValues] = useState(() => (restored ? withChanges(loaded.values, restored.changes) : loaded.values));
  const [conflict, setConflict] = useState(() => restored && restored.etag !== loaded.etag && conflictOf(restored.changes, restored.before, loaded));
  const [savedAt, setSavedAt] = useState(null);
  // What was typed and is no value, such as an unfinished JSON: messages by field.
  const [problems, setProblems] = useState({});
  // How often the changes were discarded, and the error that belonged to them.
  const [discarded, setDiscarded] = useState({ count: 0, error: null });
  const problem = Object.values(problems).find(Boolean);
  const changes = changesOf(values, stored.values);
  const latestChanges = useRef(changes);
  latestChanges.current = changes;
  const isChanged = Boolean(problem) || Object.keys(changes).length > 0;
  // Why the browser does not keep the draft, or "".
  const [unkept, setUnkept] = useState("");
  // The time of the draft that this tab has read or written.
  const draftTime = useRef(restored?.time);
  const isOver = useRef(false);

  const isOfOtherTab = () => ![undefined, draftTime.current].includes(readDraft(draft)?.time);
  /** Keep the draft, and return why the browser could not, or "". The draft of another tab stays as it is. */
  const keep = () => {
    if (isOver.current || !draft) return "";
    const { password, ...storable } = changes;
    const isEmpty = !Object.keys(storable).length;
    let reason = "";
    if (isOfOtherTab()) reason = isEmpty ? "" : "what was typed in another tab is kept";
    else if (isEmpty) dropDraft(draft);
    // A draft that an older version is based on stays as it is until its conflict is resolved.
    else if (!(conflict && restored)) {
      const time = Date.now();
      reason = keepDraft(draft, { ...draftOf(storable, stored.values), etag: stored.etag, time });
      if (!reason) draftTime.current = time;
    }
    setUnkept(reason);
    return reason;
  };
  const latest = useRef(keep);
  latest.current = keep;
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), 300);
    return () => clearTimeout(timer);
  }, [values, stored, conflict]);
  const isLost = useRef(() => false);
  isLost.current = () => {
    const reason = latest.current();
    return !isOver.current && isChanged && Boolean(!draft || reason || "password" in changes || problem);
  };
  useEffect(() => {
    askBeforeLeaving(() => isLost.current());
    if (restored && !conflict) say(`What you typed ${displayTime(local(new Date(restored.time)))} and did not save is here again.`, "info");
    return () => {
      askBeforeLeaving(null);
      latest.current();
    };
  }, []);

  /** Forget the changes: nothing is asked or kept from now on. */
  const close = () => {
    isOver.current = true;
    if (draft && !isOfOtherTab()) dropDraft(draft);
  };
  /** Go on with what is stored now, and with these changes. */
  const rebase = (next, kept) => {
    setStored(next);
    setValues(withChanges(next.values, kept));
    setConflict(null);
    setRestored(null);
    setSavedAt(null);
  };
  const [save, isSaving, error] = useAction(async () => {
    if (!isChanged || conflict) return;
    if (problem) throw { message: `Nothing was saved. ${problem}`, params: {} };
    try {
      const next = await send(values, changes, stored, close);
      if (!next) return;
      if (next.opens) {
        close();
        go(next.opens, next.query, { replace: true });
        sayDone(next.created, next.warning);
        return;
      }
      setStored(next);
      // Keep the input since the request was sent.
      setValues((now) => withChanges(next.values, changesOf(now, values)));
      setRestored(null);
      setSavedAt(new Date());
      sayDone(saved, next.warning);
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      const theirs = await load();
      const before = flat(stored.values);
      // With the input since the request was sent.
      const kept = adapt(latestChanges.current, before, theirs);
      const found = conflictOf(kept, before, theirs);
      setValues(withChanges(stored.values, kept));
      setConflict(found);
      if (found) return void unsay();
      rebase(theirs, kept);
      say("Somebody else has saved other fields meanwhile. Both versions are joined here. Save to store the result.", "info");
    }
  });
  const shownError = isChanged && error !== discarded.error ? error : null;
  const set = (changed) => setValues((now) => withChanges(now, changed));
  const onProblem = (field) => (text) => setProblems((before) => ({ ...before, [field]: text }));
  return {
    values, stored, changes, isChanged, isSaving, error: shownError, set, save, close, savedAt: savedAt || stored.savedAt, conflict, unkept, discards: discarded.count,
    field: (path) => ({ name: path.replace("meta.", ""), label: labels[path], error: shownError, value: flat(values)[path], change: (value) => set({ [path]: value }), onProblem: onProblem(path) }),
    discard: () => {
      rebase(conflict ? conflict.theirs : stored, {});
      setProblems({});
      setDiscarded({ count: discarded.count + 1, error });
    },
    resolve: (chosen) => {
      rebase(conflict.theirs, Object.fromEntries(Object.entries(changes).filter(([path]) => chosen(path))));
      say("Both versions are joined here. Save to store the result.", "info");
    },
  };
}

/**
 * Return the conflict of changes with what is stored now, or null if nobody changed the same to
 * another value. `others` are the paths that only others have changed, as far as `before` has them.
 */
function conflictOf(changes, before, theirs) {
  const stored = flat(theirs.values);
  const paths = Object.keys(changes).filter((path) => !same(stored[path], before[path]) && !same(stored[path], changes[path]));
  const others = Object.keys(stored).filter((path) => !(path in changes) && path in before && !same(stored[path], before[path]));
  return paths.length ? { theirs, paths, others } : null;
}

const key = (name) => `landform:draft:${root}:${caller.get()?.name}:${name}`;

/** Return a draft: `{changes, before, etag, time}`, or null. */
function readDraft(name) {
  try {
    const draft = JSON.parse(localStorage.getItem(key(name)));
    return draft?.changes && draft.before ? draft : null;
  } catch {
    return null;
  }
}

let isSignedOut = false;
/** Store a draft, unless the caller has signed out; return why the browser could not, or "". */
function keepDraft(name, draft) {
  try {
    if (!isSignedOut) localStorage.setItem(key(name), JSON.stringify(draft));
    return "";
  } catch {
    return "there is too much of it";
  }
}

function dropDraft(name) {
  localStorage.removeItem(key(name));
}

const allKeys = () => Object.keys(localStorage).filter((name) => name.startsWith(key("")));
export const hasDrafts = () => allKeys().length > 0;

/** Remove all drafts of the caller, at the end of a session. */
export function dropAll() {
  isSignedOut = true;
  allKeys().forEach((name) => localStorage.removeItem(name));
}

/** Return a time of today, or another date, of the site. */
function timeOf(date) {
  const [day, time] = local(date).split("T");
  return day === local(new Date()).slice(0, 10) ? time.slice(0, 5) : day;
}

/** Lead to the first field that has a message. */
function showField() {
  const field = /** @type {HTMLElement} */ (document.querySelector("main [aria-invalid]"));
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}

/**
 * `state` says who sees what is stored; `fields` show their own messages. A refused save leads to
 * its field. Ctrl+S saves, wherever the focus is.
 */
export function Bar({ document: edited, state, label = "Save", fields, disabled, children }) {
  const { isChanged, isSaving, savedAt, save, discard, conflict, error } = edited;
  const act = () => {
    // The value of a date that is not complete is empty: the browser says so at the field.
    const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("main input"));
    const unfinished = [...inputs].find(({ validity }) => validity.badInput);
    return unfinished ? unfinished.reportValidity() : save();
  };
  const drop = () => {
    discard();
    // The button that was pressed goes with the changes.
    document.querySelector("h1").focus({ preventScroll: true });
  };
  const latest = useRef();
  latest.current = () => disabled || act();
  useEffect(() => {
    const listen = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    if (error?.params) showField();
  }, [error]);
  const progress = isSaving ? "Saving …" : isChanged ? "Unsaved changes" : savedAt ? `Saved ${timeOf(savedAt)}` : disabled ? "" : state === "New" ? "Nothing to save yet" : "All is saved";
  return html`<div class="bar edit-bar" role="region" aria-label="State and actions">
    ${state && html`<strong>${state}</strong>`}
    <span id="progress" class=${isChanged ? "unsaved" : "hint"}>${progress}</span>
    <div class="actions">${children}
      ${!disabled && isChanged && html`<button type="button" onClick=${drop} disabled=${isSaving}>Discard changes</button>`}
      ${!disabled && html`<button type="button" class="main" aria-describedby="progress" onClick=${act} aria-disabled=${isSaving || !isChanged || undefined} disabled=${Boolean(conflict)}>${label}</button>`}</div>
    ${edited.unkept && html`<p class="field-error">The browser cannot keep what you type until it is saved: ${edited.unkept}.</p>`}
    <${Problem} error=${error} fields=${fields} />
  </div>`;
}

const text = (value) => (value === undefined || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Return the lines that the other text has not, with `…` for all between; or all, if only their order differs. */
function differing(value, other) {
  const [lines, others] = [text(value), text(other)].map((all) => all.split("\n"));
  const [own, known] = [new Set(lines), new Set(others)];
  if (lines.every((line) => known.has(line)) && others.every((line) => own.has(line))) return text(value);
  return lines.map((line) => (known.has(line) ? "…" : line)).filter((line, place, all) => line !== "…" || all[place - 1] !== "…").join("\n");
}

/** `what` is the noun of the document; `names` has the labels of fields by their paths, and `shown` returns how a value is shown. */
export function Conflict({ document: { conflict, changes, resolve }, what, names = {}, shown = (_path, value) => value }) {
  const [choices, setChoices] = useState({});
  const heading = useRef();
  useEffect(() => heading.current.focus(), []);
  const { theirs, paths, others } = conflict;
  const stored = flat(theirs.values);
  const nameOf = (path) => names[path] || path;
  const { by, at } = theirs.lastWrite || {};
  const version = (title, value, other) => html`<div><h4>${title}</h4><pre>${differing(value, other)}</pre></div>`;
  return html`<section class="problem" aria-labelledby="conflict">
    <div role="alert"><h2 id="conflict" tabindex="-1" ref=${heading}>${by ? `Author ${by}` : "Somebody else"} has saved this ${what} meanwhile</h2>
    <p>${at && `Saved ${displayTime(`${at}Z`)}. `}Nothing was overwritten. Both of you have changed ${paths.length === 1 ? "this field" : "these fields"}: choose which version to go on with. All else is joined.
      ${others.length > 0 && ` Changed by others only, and kept: ${others.map(nameOf).join(", ")}.`}</p></div>
    ${paths.map((path) => [path, shown(path, changes[path]), shown(path, stored[path])]).map(([path, own, other]) => html`<h3>${nameOf(path)}</h3>
        <div class="versions">${version("Yours", own, other)}${version("Stored now", other, own)}</div>
        <${Choice} label="Go on with, for ${nameOf(path)}" name="keep-${path}" value=${choices[path] || "yours"} options=${[["yours", "yours"], ["stored", "what is stored"]]}
          change=${(choice) => setChoices({ ...choices, [path]: choice })} />`)}
    <button type="button" class="main" onClick=${() => { resolve((path) => choices[path] !== "stored"); globalThis.document.querySelector("h1").focus(); }}>Go on with these</button>
  </section>`;
}
