"""Descriptions of the fields of all schemas, a sentence each: for OpenAPI and the docs page.

By the name of the schema that declares a field, or of one that this schema is made from. A field
whose own `metadata` has a `description` needs no line here. Markup: code in backticks.
"""

from typing import Any

from marshmallow import fields

from landform.schemas.feed_descriptions import FEEDS_AT_WORK

CONTEXT = (
    "Which fields are returned: `view` for readers, `embed` for a few of them, `edit` with the "
    "password and the raw texts too, which needs the scope `pages:read`."
)
SAME_CONTEXT = "Accepted for clients of WordPress; every context returns the same."
FORM = "The form that the feed belongs to; 0 for all forms."
# Texts that linters take for passwords where they are said of one.
FOR_READERS = "The password that readers need to see the content; empty for none."
OF_A_PAGE = "The password of a protected page; `X-Page-Password` keeps it out of URLs."
WITH_A_SLUG = "The password of the page that `slug` names; `X-Page-Password` keeps it out of URLs."
OPENS_PAGE = "What opens the page: `GET /pages/{page_id}?preview=` and the token."
PAGE_OF_RESULTS = {
    "page": "Which page of results is returned, from 1.",
    "per_page": "How many items a page of results has.",
}
PAGE = {
    "id": "The number of the page.",
    "date": "When the page was or will be published, in the site's local time.",
    "modified": "When the page was last written, in the site's local time.",
    "slug": "The part of the URL that names the page; that of a draft may be empty.",
    "status": "`publish`, `future`, `draft`, `pending`, `private` or `trash`.",
    "link": "The public URL of the page.",
    "title": "The title.",
    "content": "The content.",
    "author": "The number of the author.",
    "meta": "The custom fields.",
}
SITE = {"description": "What the site is, in a sentence."}

DESCRIPTIONS: dict[str, dict[str, str]] = {
    # Pages, as they are returned.
    "PageView": PAGE,
    "PageEmbed": PAGE,
    "PageEdit": {"password": FOR_READERS},
    "PageDeleted": {"deleted": "Always true.", "previous": "The page as it last was."},
    "Rendered": {"rendered": "The text as HTML, as readers get it."},
    "RawAndRendered": {"raw": "The text as it was sent."},
    "Content": {"protected": "Whether the page has a password; without it, `rendered` is empty."},
    "EditContent": {
        "raw": "The content as it was sent.",
        "block_version": "1 where the content is made of blocks, otherwise 0.",
    },
    "PageMeta": {
        "starts_at": "From when visitors see the page: a date, or a date and time; empty if unset.",
        "ends_at": "Until when visitors see the page: a date (its end), or a date and time; empty "
        "if unset.",
        "form_id": "The id of the form on the page; empty if unset.",
        "viral_share": "Settings for sharing the page: any values.",
        "instant_win": "Settings of an instant-win game: any values.",
        "language": "The languages of the page: any values, usually codes such as `en`.",
        "gallery": "The pictures of the page: any values.",
    },
    # Pages, as they are written.
    "PageWrite": {
        "title": "The title: a string, or an object with `raw`.",
        "date": "When the page is published: in the site's local time, or with an offset; null is "
        "now.",
        "slug": "The part of the URL that names the page; a number is added if it is taken.",
        "status": "The status; `publish` with a date in the future becomes `future`.",
        "password": FOR_READERS,
        "content": "HTML, text or block markup: a string, or an object with `raw`.",
        "author": "The number of the author; for a new page that of the caller by default.",
        "meta": "The custom fields; an update changes those that are sent.",
    },
    # Queries of pages.
    "PageRead": {
        "context": CONTEXT,
        "password": OF_A_PAGE,
        "preview": "The token of a preview, which shows the page whatever its status.",
    },
    "PageDelete": {"force": "Delete the page permanently, instead of moving it to the trash."},
    "PageList": {
        **PAGE_OF_RESULTS,
        "context": CONTEXT,
        "search": 'Words that title or content must contain, all of them; `"two words"` in quotes '
        "count as one, and `-word` excludes.",
        "after": "Only pages published after this time.",
        "before": "Only pages published before this time.",
        "modified_after": "Only pages last written after this time.",
        "modified_before": "Only pages last written before this time.",
        "author": "Only pages of these authors, by number.",
        "author_exclude": "No pages of these authors, by number.",
        "include": "Only pages with these ids.",
        "exclude": "No pages with these ids.",
        "offset": "How many results are skipped; it takes the place of `page`.",
        "order": "Whether the list ascends or descends.",
        "orderby": "What the list is sorted by; `include` and `include_slugs` keep the order of "
        "the ids or slugs asked for, and `relevance` needs `search`.",
        "search_columns": "Where `search` looks; by default in title and content.",
        "slug": "Only pages with these slugs.",
        "status": "Only pages of these statuses; others than `publish` need the scope "
        "`pages:read`. By default `publish`.",
        "password": WITH_A_SLUG,
        "form_id": "Only pages with one of these forms.",
        "language": "Only pages with one of these languages.",
        "open_at": "Only pages that are between `starts_at` and `ends_at` at this time, or `now`.",
        "tax_relation": "Accepted for clients of WordPress; pages have no taxonomies.",
    },
    # Previews.
    "PreviewWrite": {"expires_in": "For how many seconds the preview is valid: at most 30 days."},
    "PagePreview": {
        "id": "The number of the page.",
        "token": OPENS_PAGE,
        "link": "The address at which visitors see the preview.",
        "expires": "When the preview ends, in the site's local time.",
        "expires_gmt": "When the preview ends, in UTC.",
    },
    "PreviewsRevoked": {"revoked": "Always true."},
    # Feeds.
    "FeedRead": {
        "id": "The number of the feed.",
        "form_id": FORM,
        "is_active": "`1` if the feed is active, otherwise `0`.",
        "feed_order": "The place of the feed among those of its form, when they are listed and "
        "processed.",
        "meta": "The settings; which there are depends on the add-on.",
        "addon_slug": "The add-on of the integration, such as `gravityformsmailchimp`.",
        "event_type": "The event that the feed is for; null by default.",
    },
    "FeedDeleted": {"deleted": "Always true."},
    "FeedWritten": {
        "id": "The number of the feed.",
        "form_id": FORM,
        "meta": "The settings; which there are depends on the add-on.",
        "addon_slug": "The add-on of the integration.",
    },
    "FeedCreate": {
        "form_id": FORM,
        "addon_slug": "The add-on of the integration, such as `gravityformsmailchimp`.",
        "meta": "The settings; which there are depends on the add-on.",
        "is_active": "Whether the feed is active; a new one is, by default.",
        "feed_order": "The place of the feed among those of its form, when they are listed and "
        "processed; 0 by default.",
        "event_type": "Null, as clients send back what they read; any other value is ignored.",
    },
    "FeedUpdate": {
        "id": "Ignored: the id in the path counts.",
        "event_type": "The event that the feed is for, or null.",
    },
    "FeedPatch": {
        "id": "Ignored: the id in the path counts.",
        "form_id": FORM,
        "addon_slug": "The add-on of the integration.",
        "meta": "The settings to change, as a JSON Merge Patch: null removes one.",
        "is_active": "Whether the feed is active.",
        "feed_order": "The place of the feed among those of its form.",
        "event_type": "The event that the feed is for, or null.",
    },
    "FeedProperties": {"meta": "The settings, which replace all that there were."},
    "FeedFilter": {"include": "Only feeds with these ids.", "addon": "Only feeds of this add-on."},
    **FEEDS_AT_WORK,
    "FeedList": {
        "form_id": "Only feeds of these forms.",
        "is_active": "Only active feeds, or only inactive ones.",
    },
    "Caller": {
        "name": "The name of the credential or key.",
        "author": "The author of the pages that the caller creates.",
        "scopes": "What the caller may do.",
    },
    # What clients of WordPress and Gravity Forms ask for beside pages and feeds.
    "Described": {"context": SAME_CONTEXT},
    "UserList": {
        **PAGE_OF_RESULTS,
        "include": "Only these authors, by number.",
        "exclude": "Not these authors, by number.",
        "slug": "Only authors with these slugs.",
        "search": "Only authors whose name or slug contains this text.",
        "order": "Whether the list ascends or descends, by number.",
    },
    "Linked": {"_links": "Links to what is related, by relation."},
    "RouteIndex": {
        "namespace": "The namespace of the route.",
        "methods": "The methods of the route.",
        "endpoints": "Each method with its arguments.",
        "_links": "A link to the route itself, where its path has no variable.",
    },
    "NamespaceIndex": {"namespace": "Its name.", "routes": "Its routes, by path."},
    "SiteIndex": {
        **SITE,
        "name": "The title of the site.",
        "url": "The URL of the service.",
        "home": "The public URL of the site.",
        "gmt_offset": "By how many hours the site's local time is ahead of UTC now.",
        "timezone_string": "The time zone of the site.",
        "namespaces": "The namespaces of the API.",
        "authentication": "Other ways to authenticate than HTTP Basic, of which there are none.",
        "routes": "All routes, by path.",
    },
    "Home": {
        **SITE,
        "name": "The title of the site.",
        "docs": "The URL of the docs page.",
        "openapi": "The URL of this document.",
        "wp_json": "The URL of the index for clients of WordPress.",
    },
    "PostType": {
        "description": "Always empty.",
        "hierarchical": "Whether pages have parents.",
        "has_archive": "Whether readers have a list of them.",
        "name": "The name of the type.",
        "slug": "The name of the type in code.",
        "taxonomies": "The taxonomies: none.",
        "rest_base": "The last part of the path of the list.",
        "rest_namespace": "The namespace of the routes.",
        "viewable": "Whether readers can see such pages.",
        "labels": "How one and several are called.",
        "supports": "What a page of this type has.",
    },
    "Status": {
        "name": "The name of the status.",
        "slug": "The name of the status in code.",
        "public": "Whether readers see such pages.",
        "queryable": "Whether anyone may list such pages.",
        "date_floating": "Whether the date of such a page may move with each update.",
        "private": "Whether such pages are published for callers with credentials only.",
        "protected": "Whether such pages are not published yet.",
        "show_in_list": "Whether such pages are in the list of all.",
    },
    "User": {
        "id": "The number of the author.",
        "name": "The name: made of the number, for the caller that of its credential or key.",
        "url": "Always empty.",
        "description": "Always empty.",
        "link": "The URL of the author's pages in the API.",
        "slug": "The slug, made of the number.",
        "avatar_urls": "Always empty.",
        "meta": "Always empty.",
    },
    "CurrentUser": {
        "username": "The name of the credential or key.",
        "roles": "The role of WordPress that comes nearest to the scopes.",
        "capabilities": "The capabilities of WordPress that follow from the scopes.",
    },
    "SiteSettings": {
        **SITE,
        "title": "The title of the site.",
        "url": "The public URL of the site.",
        "timezone": "The time zone of the site.",
        "date_format": "How dates are shown, in PHP's notation.",
        "time_format": "How times are shown, in PHP's notation.",
        "start_of_week": "The first day of the week; 0 is Sunday.",
        "language": "The language of the site.",
    },
    "FormList": {"include": "Only forms with these ids."},
    "FormListed": {
        "id": "The number of the form.",
        "title": "A title, made of the number.",
        "entries": "How many entries there are; landform holds none.",
    },
    "Form": {"id": "The number of the form.", "title": "A title, made of the number."},
}


def description_of(field: fields.Field[Any]) -> str:
    """Return what a field of a schema is; empty where nobody has said it yet."""
    if own := field.metadata.get("description"):
        return str(own)
    for schema in type(field.parent).__mro__:
        if text := DESCRIPTIONS.get(schema.__name__, {}).get(str(field.name)):
            return text
    return ""
