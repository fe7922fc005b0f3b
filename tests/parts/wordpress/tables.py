"""What clients of WordPress ask for adds to tables of all operations (see `part_tables.py`)."""

from landform.parts import all_parts

WP = "/wp-json/wp/v2"
# Collections that are always empty.
EMPTY = [
    "posts",
    "categories",
    "tags",
    "comments",
    *(["media"] if "media" not in all_parts() else []),
]
# Scopes and error codes, with the requests that need them.
OPERATIONS = {
    ("pages:read", "rest_forbidden"): ", ".join(
        f"GET {WP}/statuses/{name}" for name in ("future", "draft", "pending", "private", "trash")
    ),
    ("pages:write", "rest_forbidden"): f"GET {WP}/settings",
}
if "leads" not in all_parts():
    OPERATIONS["feeds:read", "rest_forbidden"] = (
        "GET /wp-json/gf/v2/forms, GET /wp-json/gf/v2/forms/1"
    )
# Requests that anybody may send who has credentials, and requests that anybody may send.
ANY_SCOPE = [f"GET {WP}/users/me"]
DISCOVERY = [
    *("GET /wp-json", f"GET {WP}", "GET /wp-json/gf/v2"),
    *(
        f"GET {WP}/{name}"
        for name in (
            *("types", "types/page", "taxonomies", "statuses", "statuses/publish"),
            *(["types/attachment"] if "media" in all_parts() else []),
            *(*EMPTY, "users", "users/1"),
        )
    ),
]
# Paths of operations whose responses no schema describes.
WITHOUT_SCHEMA = r"/wp-json(/wp/v2|/gf/v2)?|/wp-json/(wp/v2/(?!pages)|gf/v2/forms($|/<form_id>$)).*"
# Paths of operations that accept any parameter.
DEAF = [f"{WP}/{name}" for name in EMPTY]
# Requests with parameters of clients that have no effect, and are known.
BESIDE = [
    f"{WP}/users?_locale=user&_embed=1&_method=GET&_wpnonce=x&context=view&_fields=id",
    *(f"{WP}/statuses?page=1&per_page=100", f"{WP}/taxonomies?order=asc&per_page=5"),
    *(f"{WP}/users?orderby=name&who=authors&per_page=100", f"{WP}/users/me?context=edit"),
    *(f"{WP}/types?per_page=-1&context=edit", f"{WP}/posts?status=draft&filter[x]=1"),
]
LISTS = [f"{WP}/users", "/wp-json/gf/v2/forms"]
