// The leads of the last days on the start screen, as bars, and as a table for screen readers.
import { counted, html, useLoad } from "./lib.js";
import { get, timezone } from "./api.js";
import { Link } from "./address.js";
import { local } from "./clock.js";
import { boundsOf } from "./entries.js";
import { may } from "./session.js";
import { Loaded } from "./ui.js";

const DAYS = 14;
const MILLISECONDS = 86400000;
// The units of the picture: of a bar with its gap, and of the highest bar.
const [STEP, HEIGHT] = [20, 80];

/** Return the days of the site from the first to today. */
function lastDays() {
  const today = Date.parse(local(new Date()).slice(0, 10));
  return Array.from({ length: DAYS }, (_, place) => new Date(today - (DAYS - 1 - place) * MILLISECONDS).toISOString().slice(0, 10));
}

/** Get the number of entries of each day; each request reads an index. */
const loadDays = () => Promise.all(lastDays().map(async (day) => {
  const search = JSON.stringify({ status: "active", ...boundsOf(day, day) });
  const { data } = await get("/entries", { search, "paging[page_size]": 1, _field_ids: "id" });
  return { day, count: data.total_count };
}));

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
