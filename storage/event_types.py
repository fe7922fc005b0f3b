"""The types of events of the core and of all parts, and the patterns that select several."""

from functools import cache

from landform.parts import all_parts

# The types of the core.
TYPES = (
    "page.created",
    "page.updated",
    "page.published",
    "page.unpublished",
    "page.trashed",
    "page.restored",
    "page.deleted",
    "feed.created",
    "feed.updated",
    "feed.reordered",
    "feed.deleted",
    "store.imported",
    "store.restored",
)
# The columns whose values are in the events of a resource.
EVENT_COLUMNS = {
    "page": ("id", "version", "slug", "status"),
    "feed": ("id", "version", "form_id", "addon_slug", "is_active"),
}


@cache
def all_types() -> tuple[str, ...]:
    """Return the types of events of the core and of every part."""
    return (*TYPES, *(name for part in all_parts().values() for name in part.event_types))


@cache
def all_resources() -> tuple[str, ...]:
    """Return the names of the resources that have events."""
    return tuple(dict.fromkeys(resource_of(name) for name in all_types()))


@cache
def type_patterns() -> tuple[str, ...]:
    """Return the types of events, and the patterns of types such as `page.*`."""
    return ("*", *(f"{name}.*" for name in all_resources()), *all_types())


def resource_of(event_type: str) -> str:
    """Return the resource of a type of events, or of a pattern."""
    return event_type.partition(".")[0]


@cache
def part_fields() -> dict[str, tuple[str, type]]:
    """Return the descriptions and types of the fields that parts add to the data of events."""
    fields = [part.event_fields for part in all_parts().values()]
    return {name: field for named in fields for name, field in named.items()}
