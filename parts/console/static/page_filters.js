// The filters of the list of pages. On a narrow screen they are folded, but for the search, and
// have the order too, since a table has no headings there.
import { html, useEffect, useState } from "./lib.js";
import { refine } from "./address.js";
import { Choice, Filter, Text } from "./ui.js";

const ORDERS = { date: "Date", modified: "Last change", title: "Title", slug: "Slug", author: "Author", id: "Number" };
// The largest number of requests in a batch.
const PER_PAGE = 25;
const WIDE = matchMedia("(min-width: 68rem)");

/** Return the query of `GET /pages` for the filters of the console. */
export function parameters({ status, search, language, form, author, after, before, orderby = "date", order = "desc", page = 1 }) {
  // The filter includes whole days; the API excludes its bounds.
  const until = before && `${before}T23:59:59`;
  return {
    context: "edit", status: status || "any", search, language: language && [language], form_id: form, author,
    after: after && dayBefore(after), before: until, orderby, order, page, per_page: PER_PAGE,
    _fields: "id,date,modified,slug,status,link,title.raw,author,password,meta.starts_at,meta.ends_at",
  };
}

function dayBefore(day) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCSeconds(-1);
  return date.toISOString().slice(0, 19);
}

function useIsWide() {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const listen = () => setWide(WIDE.matches);
    WIDE.addEventListener("change", listen);
    return () => WIDE.removeEventListener("change", listen);
  }, []);
  return isWide;
}

export function Filters({ query }) {
  const isWide = useIsWide();
  const used = ["language", "form", "author", "after", "before"].filter((name) => query[name]).length;
  // A date is another one with each digit of its year: these are no steps of the history.
  const choose = (name) => (value) => refine({ [name]: value, page: "" }, { replace: name === "after" || name === "before" });
  return html`<form class="search" role="search" aria-label="Filter pages" onSubmit=${(event) => event.preventDefault()}>
    <${Filter} name="search" label="Search" type="search" query=${query} />
    <details open=${isWide}><summary>Filters and order${used > 0 && ` (${used} used)`}</summary><div class="filters">
      <${Filter} name="language" label="Language" placeholder="en" query=${query} />
      <${Filter} name="form" label="Form" inputmode="numeric" query=${query} />
      <${Filter} name="author" label="Author (number)" inputmode="numeric" query=${query} />
      <${Text} name="after" label="From" type="date" value=${query.after} change=${choose("after")} />
      <${Text} name="before" label="Until" type="date" value=${query.before} change=${choose("before")} />
      <${Choice} name="orderby" label="Order by" value=${query.orderby || "date"} options=${Object.entries(ORDERS)} change=${choose("orderby")} />
      <${Choice} name="order" label="Direction" value=${query.order || "desc"} options=${[["desc", "Descending"], ["asc", "Ascending"]]} change=${choose("order")} />
    </div></details>
  </form>`;
}
