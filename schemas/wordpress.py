"""What clients of WordPress and Gravity Forms need: more fields of pages, and other resources.

Each of these fields is constant here, or follows from what a page has.
"""

from typing import Any

from marshmallow import INCLUDE, Schema

from landform.schemas import fields, pages
from landform.schemas.fields import Ignored, ListOf, Number
from landform.schemas.known_names import Tolerant
from landform.schemas.responses import Constant, Shown, StoredJson


class EditExcerpt(pages.Content):
    """The excerpt with its source: landform stores none."""

    raw = Constant("Always empty.", "")


class WordPressView(pages.PageView):
    """A page in the view context."""

    type = Constant("", "page")
    excerpt = Shown(kind=pages.Content)
    featured_media = Constant("", 0)
    _links = StoredJson()
    date_gmt = Shown(attribute="date_utc")
    modified_gmt = Shown(attribute="modified_utc")
    guid = Shown(kind=pages.Rendered)
    parent = Constant("", 0)
    menu_order = Constant("", 0)
    comment_status = Constant("", "closed")
    ping_status = Constant("", "closed")
    template = Constant("", "")


class WordPressEmbed(WordPressView):
    """A page in the embed context."""

    class Meta:
        fields = (*pages.PageEmbed.Meta.fields, "type", "excerpt", "featured_media", "_links")


class WordPressEdit(WordPressView, pages.PageEdit):
    """A page in the edit context."""

    title = Shown(kind=pages.RawAndRendered)
    content = Shown(kind=pages.EditContent)
    guid = Shown(kind=pages.RawAndRendered)
    excerpt = Shown(kind=EditExcerpt)


# Of all pages `menu_order` is the same, so the newest come first.
ORDERS = (*pages.ORDERS, "menu_order")


class WordPressList(pages.PageList):
    """The query of a list of pages."""

    orderby = fields.Text("", ORDERS, load_default="date")


class PublicWordPressList(WordPressList):
    """The query of a list by callers without the scope pages:read."""

    status = ListOf("", fields.Text(choices=("publish",)))


class Described(Tolerant):
    """The query of what has contexts, all of which show the same here."""

    context = fields.Text("All return the same here.", pages.CONTEXTS, load_default="view")


class Whole(Described):
    """The query of what is returned whole, though clients ask for a page of it."""

    page = Ignored()
    per_page = Ignored()
    order = Ignored()
    orderby = Ignored()


class Anything(Schema):
    """The query of what is the same whatever it is asked, such as a list that is always empty."""

    class Meta:
        unknown = INCLUDE


class UserList(pages.Paged, Described):
    """The query of a list of authors."""

    include = ListOf("Only these authors, by number.", Number())
    exclude = ListOf("Not these authors, by number.", Number())  # type: ignore[assignment] # the metaclass takes it away
    slug = ListOf("Only authors with these slugs.", fields.Text())
    search = pages.Search("Only authors whose name or slug contains this text.")
    order = fields.Text("Which way the list is sorted.", ("asc", "desc"), load_default="asc")
    # An author is a number, so there is one order and one kind of them.
    orderby = Ignored()
    who = Ignored()


class Linked(Schema):
    """A resource with links to others, by relation."""

    _links = Shown("Links to what is related, by relation.", dict[str, list[dict[str, Any]]])


class RouteIndex(Schema):
    """A route: its methods, and each of its endpoints with the arguments that it takes."""

    namespace = Shown("The namespace of the route.")
    methods = Shown("The methods of the route.", list[str])
    endpoints = Shown("Each method with its arguments.", list[dict[str, Any]])
    _links = Shown("A link to the route itself, if its path has no variable.", dict[str, Any])


class NamespaceIndex(Linked):
    """The routes of a namespace."""

    namespace = Shown("Its name.")
    routes = Shown("Its routes, by path.", dict[str, RouteIndex])


class SiteIndex(Linked):
    """The site, and all of its routes."""

    name = Shown("The title of the site.")
    description = Shown("What the site is, in a sentence.")
    url = Shown("The URL of the service.")
    home = Shown("The public URL of the site.")
    gmt_offset = Shown("By how many hours the site's local time is ahead of UTC now.", float)
    timezone_string = Shown("The time zone of the site.")
    namespaces = Shown("The namespaces of the API.", list[str])
    authentication = Shown("Other ways to authenticate than HTTP Basic: none.", dict[str, Any])
    routes = Shown("All routes, by path.", dict[str, RouteIndex])


class Home(Schema):
    """The root, for programs."""

    name = Shown("The title of the site.")
    description = Shown("What the site is, in a sentence.")
    docs = Shown("The URL of the docs page.")
    openapi = Shown("The URL of this document.")
    wp_json = Shown("The URL of the index for clients of WordPress.")


class PostType(Linked):
    """The type of the pages."""

    description = Shown("Always empty.")
    hierarchical = Shown("Whether pages have parents.", bool)
    has_archive = Shown("Whether readers have a list of them.", bool)
    name = Shown("The name of the type.")
    slug = Shown("The name of the type in code.")
    taxonomies = Shown("The taxonomies: none.", list[str])
    rest_base = Shown("The last part of the path of the list.")
    rest_namespace = Shown("The namespace of the routes.")
    viewable = Shown("Whether readers can see such pages.", bool)
    labels = Shown("How one and several are called.", dict[str, str])
    supports = Shown("What a page of this type has.", dict[str, bool])


class Status(Linked):
    """A status that a page may have."""

    name = Shown("The name of the status.")
    slug = Shown("The name of the status in code.")
    public = Shown("Whether readers see such pages.", bool)
    queryable = Shown("Whether anyone may list such pages.", bool)
    date_floating = Shown("Whether the date of such a page may move with each update.", bool)
    private = Shown("Whether such pages are published for callers with credentials only.", bool)
    protected = Shown("Whether such pages are not published yet.", bool)
    show_in_list = Shown("Whether such pages are in the list of all.", bool)


class User(Linked):
    """An author of pages, known by a number alone."""

    id = Shown("The number of the author.", int)
    name = Shown("The name: made of the number, for the caller that of its credential or key.")
    url = Shown("Always empty.")
    description = Shown("Always empty.")
    link = Shown("The URL of the author's pages in the API.")
    slug = Shown("The slug, made of the number.")
    avatar_urls = Shown("Always empty.", dict[str, Any])
    meta = Shown("Always empty.", list[Any])


class CurrentUser(User):
    """The caller, with what follows from its scopes."""

    username = Shown("The name of the credential or key.")
    roles = Shown("The role of WordPress that comes nearest to the scopes.", list[str])
    capabilities = Shown("What the scopes allow, as WordPress names it.", dict[str, bool])


class SiteSettings(Schema):
    """The settings of the site that clients read."""

    title = Shown("The title of the site.")
    description = Shown("What the site is, in a sentence.")
    url = Shown("The public URL of the site.")
    timezone = Shown("The time zone of the site.")
    date_format = Shown("How dates are shown, in PHP's notation.")
    time_format = Shown("How times are shown, in PHP's notation.")
    start_of_week = Shown("The first day of the week; 0 is Sunday.", int)
    language = Shown("The language of the site.")


class FormList(Tolerant):
    """The query of a list of forms."""

    include = ListOf("Only forms with these ids.", Number())


class FormListed(Schema):
    """A form that feeds or pages name, in the list of all of them."""

    id = Shown("The number of the form.")
    title = Shown("A title, made of the number.")
    entries = Shown("How many entries there are; landform holds none.")


class Form(Schema):
    """A form that feeds or pages name."""

    id = Shown("The number of the form.", int)
    title = Shown("A title, made of the number.")


class Caller(Schema):
    """The caller: the name of a credential or key, the author of its pages, its scopes."""

    name = Shown("The name of the credential or key.")
    author = Shown("The author of the pages that the caller creates.", int)
    scopes = Shown("What the caller may do.", list[str])
