"""The types of events, and what each tells of a row: a list that schemas need too."""

TYPES = (
    "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed",
    "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered",
    "feed.deleted", "run.succeeded", "run.failed", "store.imported", "store.restored",
)  # fmt: skip
# What readers may ask for: also what stands for several types.
WANTED = ("*", *dict.fromkeys(f"{name.partition('.')[0]}.*" for name in TYPES), *TYPES)
# The columns whose changes are told; the names of their fields are without `_raw`.
TRACKED = {
    "page": (
        "author", "date", "meta", "password", "slug", "status", "title_raw", "content_raw",
    ),
    "feed": ("addon_slug", "event_type", "feed_order", "form_id", "is_active", "meta"),
}  # fmt: skip
# The columns whose values are told.
TOLD = {
    "page": ("id", "version", "slug", "status"),
    "feed": ("id", "version", "form_id", "addon_slug", "is_active"),
    "run": ("id", "version", "feed_id", "form_id", "entry_id", "attempt", "retryable"),
}
