// The conditional logic of a feed as fields: it is a part of the feed's meta.
import { html, useEffect, useRef } from "./lib.js";
import { Check, Choice, Text } from "./ui.js";

export const SWITCH = "feed_condition_conditional_logic";
export const LOGIC = "feed_condition_conditional_logic_object";
const OPERATORS = [
  ["is", "is"], ["isnot", "is not"], [">", "is greater than"], ["<", "is less than"],
  ["contains", "contains"], ["starts_with", "starts with"], ["ends_with", "ends with"],
];

export const isObject = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
/** What an operator is called. */
export const operatorName = (operator) => OPERATORS.find(([key]) => key === operator)?.[1] || String(operator ?? "");

/** Return whether the logic in a meta is such that fields can show it. */
export function isShowable(meta) {
  const logic = meta[LOGIC]?.conditionalLogic;
  if (logic == null) return !meta[LOGIC] || isObject(meta[LOGIC]);
  return isObject(logic) && Array.isArray(logic.rules ?? []) && (logic.rules ?? []).every(isObject);
}

/** The fields; `change` gets the keys of the meta that are other ones now. */
export function Conditions({ meta, change, disabled }) {
  const group = useRef();
  const wanted = useRef(null);
  useEffect(() => {
    // A new rule is written next; after the last one is gone, another may be added.
    if (wanted.current !== null) group.current.querySelector(wanted.current)?.focus();
    wanted.current = null;
  });
  const isOn = ["1", 1, true].includes(meta[SWITCH]);
  const logic = meta[LOGIC]?.conditionalLogic || {};
  const rules = logic.rules || [];
  const set = (changes) => change({ [LOGIC]: { ...meta[LOGIC], conditionalLogic: { actionType: "show", logicType: "all", ...logic, ...changes } } });
  const setRule = (place, changes) => set({ rules: rules.map((rule, other) => (other === place ? { ...rule, ...changes } : rule)) });
  const add = () => {
    wanted.current = `[data-rule="${rules.length}"] input`;
    set({ rules: [...rules, { fieldId: "", operator: "is", value: "" }] });
  };
  const drop = (place) => {
    wanted.current = ".add";
    set({ rules: rules.filter((_, other) => other !== place) });
  };
  const operators = (own) => [...OPERATORS, ...(OPERATORS.some(([key]) => key === own) ? [] : [[own, own]])];
  return html`<fieldset ref=${group} disabled=${disabled}><legend>Conditional logic</legend>
    <${Check} label="Run only for entries that the rules match" value=${isOn} change=${(on) => change({ [SWITCH]: on ? "1" : "0" })} />
    ${isOn && html`<${Choice} label="How many rules have to match" name="logicType" value=${logic.logicType ?? "all"} change=${(logicType) => set({ logicType })}
        options=${[["all", "all of them"], ["any", "any of them"], ...(["all", "any", undefined].includes(logic.logicType) ? [] : [logic.logicType])]} />
      ${rules.map((rule, place) => html`<div class="rule" role="group" aria-label="Rule ${place + 1}" data-rule=${place}>
        <${Text} label="Field" name="fieldId" value=${rule.fieldId} change=${(fieldId) => setRule(place, { fieldId })} />
        <${Choice} label="Operator" name="operator" value=${rule.operator ?? ""} change=${(operator) => setRule(place, { operator })} options=${operators(rule.operator ?? "")} />
        <${Text} label="Value" name="value" value=${rule.value} change=${(value) => setRule(place, { value })} />
        <button type="button" aria-label="Remove rule ${place + 1}" onClick=${() => drop(place)}>Remove</button>
      </div>`)}
      <p class="hint">A field is the id of a field or input of the form, such as 3 or 3.1, or the name of a property, such as payment_status.${!rules.length && " Without rules the feed runs for every entry."}</p>
      <button type="button" class="add" onClick=${add}>Add a rule</button>`}
  </fieldset>`;
}
