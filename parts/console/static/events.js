// The log of events, the newest first.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { get } from "./api.js";
import { Link, refine } from "./address.js";
import { hasPart } from "./session.js";
import { Check, Choice, Loaded, Screen, Table, Text, displayTime } from "./ui.js";

const PER_PAGE = 50;
const FOLLOW_MILLISECONDS = 5000;
/** The types of events, by the pattern for a whole resource. */
export const TYPES = {
  "page.*": ["page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted"],
  "feed.*": ["feed.created", "feed.updated", "feed.reordered", "feed.deleted"],
  ...(hasPart("runs") && { "run.*": ["run.succeeded", "run.failed"] }),
  ...(hasPart("leads") && {
    "form.*": ["form.created", "form.updated", "form.trashed", "form.restored", "form.deleted"],
    "entry.*": ["entry.created", "entry.updated", "entry.spam", "entry.deleted"],
  }),
  "store.*": ["store.imported", "store.restored"],
};
const CHOICES = [["", "All"], ...Object.entries(TYPES).flat(2)];

/** The subject of an event, with a link unless it was deleted. */
function Subject({ type, data }) {
  const { resource, id, slug, form_id, feed_id, entry_id } = data;
  if (type === "page.deleted" || type === "feed.deleted") return `${resource} ${id}`;
  if (resource === "page") return html`<${Link} path="pages/${id}">page ${id}${slug && `, ${slug}`}<//>`;
  if (resource === "feed" && id) return html`<${Link} path="feeds/${id}">feed ${id}, form ${form_id}<//>`;
  if (resource === "feed") return html`<${Link} path="feeds" query=${{ form_id }}>feeds of form ${form_id}<//>`;
  if (resource === "run") {
    const text = `feed ${feed_id}, entry ${entry_id}`;
    return hasPart("runs") ? html`<${Link} path="runs" query=${{ state: "all", feed_id, entry_id }}>${text}<//>` : text;
  }
  return "the store";
}

export function EventList({ query }) {
  const [follows, setFollows] = useState(false);
  const { type = "", resource_id = "", before = "", until = "" } = query;
  // The whole day is shown.
  const end = until && `${until}T23:59:59`;
  const state = useLoad(() => get("/events", { order: "desc", per_page: PER_PAGE, type: type && [type], resource_id, before, until: end }), [type, resource_id, before, until]);
  useEffect(() => {
    if (!follows) return undefined;
    const timer = setInterval(() => document.hidden || state.reload(), FOLLOW_MILLISECONDS);
    return () => clearInterval(timer);
  }, [follows, state.reload]);
  const columns = [
    { label: "Number", cell: ({ id }) => id },
    { label: "Event", main: true, cell: (event) => event.type },
    { label: "About", cell: Subject },
    { label: "Changed", cell: ({ data }) => (data.changed || []).join(", ") },
    { label: "Time", cell: ({ timestamp }) => displayTime(timestamp) },
  ];
  return html`<${Screen} title="Events" actions=${before || until
    ? html`<${Link} path="events" query=${{ type, resource_id }}>Newest events<//>`
    : html`<${Check} label="Follow" value=${follows} change=${setFollows} /><button onClick=${state.reload}>Refresh</button>`}>
    <div class="filters" role="search" aria-label="Filter events">
      <${Choice} label="Type" name="type" value=${type} options=${CHOICES} change=${(value) => refine({ type: value, before: "" })} />
      <${Text} label="Number of the page${hasPart("runs") ? ", feed or run" : " or feed"}" name="resource_id" inputmode="numeric" value=${resource_id} change=${(value) => refine({ resource_id: value.replace(/\D/g, ""), before: "" }, { replace: true })} />
      <${Text} label="Until" name="until" type="date" value=${until} change=${(value) => refine({ until: value, before: "" }, { replace: true })} />
    </div>
    <${Loaded} state=${state}>${({ data, headers }) => html`<${Table} caption="Events" columns=${columns} rows=${data} empty=${type || resource_id || before || until ? "There are no such events." : "Nothing has happened yet, or no events are kept."} />
      ${headers.get("Link") && html`<nav class="paging" aria-label="Pages of results"><button onClick=${() => refine({ before: data.at(-1).id })}>Older events</button></nav>`}`}<//>
  <//>`;
}
