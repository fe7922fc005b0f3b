// Times of the site: its time zone may be another one than that of the browser.
import { timezone } from "./api.js";

const CLOCK = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
/** @type {Intl.DateTimeFormatOptions} */
const MINUTE = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };

/** Return a date as the service writes local times of the site, such as `2026-01-31T12:00:00`; "" for an invalid date. */
export const local = (date) => (Number.isNaN(+date) ? "" : CLOCK.format(date).replace(" ", "T").padStart(19, "0"));

/** Return a time of the service in UTC, such as `2026-01-31 12:00:00`, in the local time of the site. */
export const fromUtc = (text) => local(new Date(`${text.replace(" ", "T")}Z`));

/** Return the date of a local time of the site. */
export function fromLocal(text) {
  const asUtc = Date.parse(`${text}Z`);
  // The offset at that time may differ from the one at the first guess.
  const offsetAt = (time) => Date.parse(`${local(new Date(time))}Z`) - time;
  return new Date(asUtc - offsetAt(asUtc - offsetAt(asUtc)));
}

/** Return a local time of the site in the time zone of the browser, or "" if both zones agree then. */
export function inBrowserZone(text) {
  const date = fromLocal(text.length === 10 ? `${text}T00:00:00` : text);
  if (Number.isNaN(+date)) return "";
  const [here, there] = [undefined, timezone].map((timeZone) => date.toLocaleString("en-GB", { ...MINUTE, timeZone }));
  return here === there ? "" : `${here} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}

/** Return a bound of a window (`starts` or `ends`) in local time; a window includes its last day. */
export function localBound(verb, text) {
  const [day, time] = [text.slice(0, 10), text.slice(11)];
  if (!time) return day && `${day}T${verb === "ends" ? "24" : "00"}:00:00`;
  const offset = /(Z|[+-]\d\d)(?::?(\d\d))?$/i.exec(time);
  if (!offset) return `${day}T${time}`;
  const zone = offset[1].length > 1 ? `${offset[1]}:${offset[2] || "00"}` : "Z";
  return local(new Date(`${day}T${time.slice(0, offset.index)}${zone}`));
}
