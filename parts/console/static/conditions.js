// Fields for the conditional logic of a feed, which is a part of its meta.
import { html, useEffect, useRef } from "./lib.js";
import { isObject } from "./document.js";
import { Check, Choice, Text } from "./ui.js";

export const SWITCH = "feed_condition_conditional_logic";
export const LOGIC = "feed_condition_conditional_logic_object";
const OPERATORS = [
  ["is", "is"], ["isnot", "is not"], [">", "is greater than"], ["<", "is less than"],
  ["contains", "contains"], ["starts_with", "starts with"], ["ends_with", "ends with"],
];

/** Return the name of an operator. */
export const operatorName = (operator) => OPERATORS.find(([key]) => key === operator)?.[1] || String(operator ?? "");

/** Return whether the rules of a feed are used. */
export const isOn = (meta) => ["1", 1, true].includes(meta?.[SWITCH]);

/** Return whether fields can show the logic in a meta. */
export function isShowable(meta) {
  const logic = meta[LOGIC]?.conditionalLogic;
  if (logic == null) return !meta[LOGIC] || isObject(meta[LOGIC]);
  return isObject(logic) && Array.isArray(logic.rules ?? []) && (logic.rules ?? []).every(isObject);
}

/** Return in words for which entries a feed runs. */
export function described(meta) {
  const { logicType, rules = [] } = meta[LOGIC]?.conditionalLogic || {};
  if (!isOn(meta) || !rules.length) return "Every entry";
  return `Entries that match ${logicType === "any" ? "any" : "all"} of: ${rules.map(({ fieldId, operator, value }) => `${fieldId} ${operatorName(operator)} ${value === "" ? "blank" : value}`).join("; ")}`;
}

/** The fields; `change` gets the changed keys of the meta. */
export function Conditions({ meta, change, error }) {
  const group = useRef();
  const nextFocus = useRef(null);
  useEffect(() => {
    // A new rule gets the focus, after a removal the button that adds one.
    if (nextFocus.current !== null) group.current.querySelector(nextFocus.current)?.focus();
    nextFocus.current = null;
  });
  const logic = meta[LOGIC]?.conditionalLogic || {};
  const rules = logic.rules || [];
  const set = (changes) => change({ [LOGIC]: { ...meta[LOGIC], conditionalLogic: { actionType: "show", logicType: "all", ...logic, ...changes } } });
  const setRule = (place, changes) => set({ rules: rules.map((rule, index) => (index === place ? { ...rule, ...changes } : rule)) });
  const add = () => {
    nextFocus.current = `[data-rule="${rules.length}"] input`;
    set({ rules: [...rules, { fieldId: "", operator: "is", value: "" }] });
  };
  const removeRule = (place) => {
    nextFocus.current = ".add";
    set({ rules: rules.filter((_, index) => index !== place) });
  };
  const operators = (current) => [...OPERATORS, ...(OPERATORS.some(([key]) => key === current) ? [] : [[current, current]])];
  return html`<fieldset ref=${group}><legend>Conditional logic</legend>
    <${Check} label="Run only for entries that the rules match" value=${isOn(meta)} change=${(on) => change({ [SWITCH]: on ? "1" : "0" })} />
    ${isOn(meta) && html`<${Choice} label="How many rules have to match" name="logicType" value=${logic.logicType ?? "all"} change=${(logicType) => set({ logicType })}
        options=${[["all", "all of them"], ["any", "any of them"], ...(["all", "any", undefined].includes(logic.logicType) ? [] : [logic.logicType])]} />
      ${rules.map((rule, place) => html`<div class="rule" role="group" aria-label="Rule ${place + 1}" data-rule=${place}>
        <${Text} label="Field" name="fieldId" error=${String(rule.fieldId ?? "").trim() ? null : error} value=${rule.fieldId} change=${(fieldId) => setRule(place, { fieldId })} />
        <${Choice} label="Operator" name="operator" value=${rule.operator ?? ""} change=${(operator) => setRule(place, { operator })} options=${operators(rule.operator ?? "")} />
        <${Text} label="Value" name="value" value=${rule.value} change=${(value) => setRule(place, { value })} />
        <button type="button" aria-label="Remove rule ${place + 1}" onClick=${() => removeRule(place)}>Remove</button>
      </div>`)}
      <p class="hint">A field is the id of a field or input of the form, such as 3 or 3.1, or the name of a property, such as payment_status.${!rules.length && " Without rules the feed runs for every entry."}</p>
      <button type="button" class="add" onClick=${add}>Add a rule</button>`}
  </fieldset>`;
}
