// The leads of the last days on the start screen, as bars, and as a table for screen readers.
import { counted, html, useLoad } from "./lib.js";
import { get, timezone } from "./api.js";
import { Link } from "./address.js";
import { fromUtc, local } from "./clock.js";
import { boundsOf } from "./entries.js";
import { may } from "./session.js";
import { Loaded } from "./ui.js";

const DAYS = 14;
// The longest list of the API.
const MOST_PER_PAGE = 200;
const MILLISECONDS = 86400000;
// The units of the picture: of a bar with its gap, and of the highest bar.
const [STEP, HEIGHT] = [20, 80];

/** Return the days of the site from the first to today. */
function lastDays() {
  const today = Date.parse(local(new Date()).slice(0, 10));
  return Array.from({ length: DAYS }, (_, place) => new Date(today - (DAYS - 1 - place) * MILLISECONDS).toISOString().slice(0, 10));
}

/** Get the number of entries from one day to another, and the first `size` of them. */
async function find(from, to, size) {
  const search = JSON.stringify({ status: "active", ...boundsOf(from, to) });
  return (await get("/entries", { search, "paging[page_size]": size, _field_ids: "date_created" })).data;
}

/** Get the number of entries of each day: of a list of all, or of each day if this list would be too long. */
async function loadDays() {
  const days = lastDays();
  const { entries, total_count } = await find(days[0], days.at(-1), MOST_PER_PAGE);
  const sent = entries.map(({ date_created }) => fromUtc(date_created).slice(0, 10));
  const isWhole = total_count <= MOST_PER_PAGE;
  return Promise.all(days.map(async (day) => ({ day, count: isWhole ? sent.filter((one) => one === day).length : (await find(day, day, 1)).total_count })));
}

export const RecentLeads = () => may("entries:read") && html`<${Days} />`;

function Days() {
  const state = useLoad(loadDays);
  return html`<section class="card"><h2>Leads of the last ${DAYS} days</h2><${Loaded} state=${state}>${(days) => html`<${Bars} days=${days} />`}<//></section>`;
}

function Bars({ days }) {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  if (!total) return html`<p class="empty">No entry was sent. <${Link} path="forms">Forms<//> collect them on your pages.</p>`;
  const most = Math.max(...days.map(({ count }) => count));
  const height = (count) => (count ? Math.max(2, (count / most) * HEIGHT) : 0);
  return html`<p><${Link} path="entries" query=${{ from: days[0].day }}>${counted(total, "entry")}<//>, at most ${most.toLocaleString("en")} a day</p>
    <svg viewBox="0 0 ${DAYS * STEP} ${HEIGHT}" width="100%" height="80" class="chart" preserveAspectRatio="none" aria-hidden="true" fill="currentColor">${days.map(({ day, count }, place) => html`<rect key=${day} x=${place * STEP + 2} y=${HEIGHT - height(count)} width=${STEP - 4} height=${height(count)}><title>${day}: ${count}</title></rect>`)}</svg>
    <p class="hint ends" aria-hidden="true"><span>${days[0].day}</span><span>today</span></p>
    <table class="unseen"><caption>Entries by day (${timezone})</caption><thead><tr><th scope="col">Day</th><th scope="col">Entries</th></tr></thead>
      <tbody>${days.map(({ day, count }) => html`<tr><th scope="row">${day}</th><td>${count}</td></tr>`)}</tbody></table>`;
}
