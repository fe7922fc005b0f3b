// Shows and hides the fields of the form around this script, as the service decides it (intake/logic.py).
(() => {
  const form = document.currentScript.parentElement;
  const logic = JSON.parse(form.dataset.logic);
  const hidden = new Set();
  const NUMBER = /^[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?[ \t\n\r\v\f]*$/;
  const WHOLE = /^\s*[+-]?[0-9]{1,4000}\s*$/;
  const trim = (text) => text.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, "");

  function compare(value, target) {
    if (NUMBER.test(value) && NUMBER.test(target)) {
      const [left, right] = [value, target].map(WHOLE.test(value) && WHOLE.test(target) ? BigInt : Number);
      // Numbers that are too large are all infinite.
      if (typeof left === "bigint" || left !== right || Math.abs(left) !== Infinity) return (left > right) - (left < right);
    }
    return (value > target) - (value < target);
  }

  const [isMore, isLess] = [(value, target) => compare(value, target) > 0, (value, target) => compare(value, target) < 0];
  const OPERATORS = {
    is: (value, target) => compare(value, target) === 0, isnot: (value, target) => compare(value, target) !== 0,
    ">": isMore, greater_than: isMore, "<": isLess, less_than: isLess,
    contains: (value, target) => target !== "" && value.includes(target),
    starts_with: (value, target) => target !== "" && value.startsWith(target),
    ends_with: (value, target) => target !== "" && value.endsWith(target),
  };

  /** Return a number as the service stores it. */
  function numberOf(text, format) {
    let number = format === "currency" ? trim(text.replaceAll("$", "")) : text;
    if (format === "decimal_comma") number = number.replace(/[.,]/g, (sign) => (sign === "." ? "," : "."));
    const parts = /^(-?)((?:\d{1,3}(?:,?\d{3})*)?)(\.\d+)?$/.exec(number);
    if (!parts || !(parts[2] || parts[3])) return text;
    return `${parts[1]}${parts[2].replaceAll(",", "") || "0"}${format === "currency" ? (parts[3] || "").replace(/\.?0*$/, "") : parts[3] || ""}`;
  }

  /** Return the values of the controls with a name, the time of several, or a choice that may be one's own. */
  function valuesOf(name) {
    if (Array.isArray(name)) {
      const [hour, minute, half] = name.map((part) => trim(valuesOf(part)[0] || ""));
      return hour || minute ? [`${hour.padStart(2, "0")}:${minute.padStart(2, "0")} ${half || ""}`] : [""];
    }
    if (name.own) {
      const [choice = "", text = ""] = [name.own, `${name.own}_other`].map((part) => trim(valuesOf(part)[0] || ""));
      return choice === "gf_other_choice" || !choice ? (text ? [text, "gf_other_choice"] : [""]) : [choice];
    }
    return [...form.elements].filter((one) => one.name === name && (one.checked || !["radio", "checkbox"].includes(one.type)))
      .map((one) => (one.inputMode === "decimal" ? numberOf(trim(one.value), one.dataset.format) : one.value));
  }

  /** Return whether the values of a field match a rule. */
  function matches([field, names, operator, target]) {
    const values = hidden.has(field) ? [] : names.flatMap(valuesOf);
    const tests = (values.length ? values : [""]).map((value) => trim(value.split("|")[0]).replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
      .map((value) => OPERATORS[operator](value, target));
    // All of several values have to match `is` a blank and `isnot` a text.
    return operator === (target === "" ? "is" : "isnot") ? tests.every(Boolean) : tests.some(Boolean);
  }

  function update() {
    hidden.clear();
    for (let pass = 0; pass <= logic.length; pass += 1) {
      const before = [...hidden].join();
      for (const [id, section, hides, isAll, rules] of logic) {
        const isMet = isAll ? rules.every(matches) : rules.some(matches);
        if (hidden.has(section) || (rules.length > 0 && isMet === hides)) hidden.add(id);
        else hidden.delete(id);
      }
      if ([...hidden].join() === before) break;
    }
    for (const place of form.querySelectorAll("[data-field]")) {
      place.hidden = hidden.has(place.dataset.field);
      for (const control of [place, ...place.querySelectorAll("input, select, textarea")]) control.disabled = place.hidden;
    }
  }

  // Without this script a field that the service may ignore is not required by the browser.
  for (const control of form.querySelectorAll("[data-required]")) control.required = true;
  form.addEventListener("input", update);
  addEventListener("pageshow", update);
  update();
})();
