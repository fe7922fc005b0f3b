"""The types of events, and what each tells of a row: a list that schemas need too."""

TYPES = (
    "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed",
    "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered",
    "feed.deleted", "run.succeeded", "run.failed", "store.imported", "store.restored",
)  # fmt: skip
# What readers may ask for: also what stands for several types.
WANTED = ("*", *dict.fromkeys(f"{name.partition('.')[0]}.*" for name in TYPES), *TYPES)
# The columns whose values are told.
TOLD = {
    "page": ("id", "version", "slug", "status"),
    "feed": ("id", "version", "form_id", "addon_slug", "is_active"),
}
