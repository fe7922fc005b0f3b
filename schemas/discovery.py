"""Resources for clients of WordPress: types, statuses, authors, settings, forms."""

from marshmallow import EXCLUDE, INCLUDE, Schema, fields

from landform.schemas.fields import Ignored, Integer, ListOf, Number, Text
from landform.schemas.pages import CONTEXTS, FURTHEST, Search, one_of


class Described(Schema):
    """The query of what has contexts, all of which show the same here."""

    class Meta:
        unknown = EXCLUDE

    context = Text(validate=one_of(CONTEXTS), load_default="view")


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


class UserList(Described):
    """The query of a list of authors."""

    page = Integer(minimum=1, maximum=FURTHEST, load_default=1)
    per_page = Integer(minimum=1, maximum=100, load_default=10)
    include = ListOf(Number())
    exclude = ListOf(Number())  # type: ignore[assignment] # the metaclass takes it away
    slug = ListOf(Text())
    search = Search()
    order = Text(validate=one_of(("asc", "desc")), load_default="asc")
    # An author is a number, so there is one order and one kind of them.
    orderby = Ignored()
    who = Ignored()


class Linked(Schema):
    """A resource with links to others, by relation."""

    _links = fields.Dict(keys=fields.String(), values=fields.List(fields.Dict()))


class RouteIndex(Schema):
    """A route: its methods, and each of its endpoints with the arguments that it takes."""

    namespace = fields.String()
    methods = fields.List(fields.String())
    endpoints = fields.List(fields.Dict())
    _links = fields.Dict()


class NamespaceIndex(Linked):
    """The routes of a namespace."""

    namespace = fields.String()
    routes = fields.Dict(keys=fields.String(), values=fields.Nested(RouteIndex))


class SiteIndex(Linked):
    """The site, and all of its routes."""

    name = fields.String()
    description = fields.String()
    url = fields.String()
    home = fields.String()
    gmt_offset = fields.Float()
    timezone_string = fields.String()
    namespaces = fields.List(fields.String())
    authentication = fields.Dict()
    routes = fields.Dict(keys=fields.String(), values=fields.Nested(RouteIndex))


class Home(Schema):
    """The root, for programs."""

    name = fields.String()
    description = fields.String()
    docs = fields.String()
    openapi = fields.String()
    wp_json = fields.String()


class PostType(Linked):
    """The type of the pages."""

    description = fields.String()
    hierarchical = fields.Boolean()
    has_archive = fields.Boolean()
    name = fields.String()
    slug = fields.String()
    taxonomies = fields.List(fields.String())
    rest_base = fields.String()
    rest_namespace = fields.String()
    viewable = fields.Boolean()
    labels = fields.Dict(keys=fields.String(), values=fields.String())
    supports = fields.Dict(keys=fields.String(), values=fields.Boolean())


class Status(Linked):
    """A status that a page may have."""

    name = fields.String()
    slug = fields.String()
    public = fields.Boolean()
    queryable = fields.Boolean()
    date_floating = fields.Boolean()
    private = fields.Boolean()
    protected = fields.Boolean()
    show_in_list = fields.Boolean()


class User(Linked):
    """An author of pages, known by a number alone."""

    id = fields.Integer()
    name = fields.String()
    url = fields.String()
    description = fields.String()
    link = fields.String()
    slug = fields.String()
    avatar_urls = fields.Dict()
    meta = fields.List(fields.Raw())


class CurrentUser(User):
    """The caller, with what follows from its scopes."""

    username = fields.String()
    roles = fields.List(fields.String())
    capabilities = fields.Dict(keys=fields.String(), values=fields.Boolean())


class SiteSettings(Schema):
    """The settings of the site that clients read."""

    title = fields.String()
    description = fields.String()
    url = fields.String()
    timezone = fields.String()
    date_format = fields.String()
    time_format = fields.String()
    start_of_week = fields.Integer()
    language = fields.String()


class FormList(Schema):
    """The query of a list of forms."""

    class Meta:
        unknown = EXCLUDE

    include = ListOf(Number())


class FormListed(Schema):
    """A form that feeds or pages name, in the list of all of them."""

    id = fields.String()
    title = fields.String()
    entries = fields.String()


class Form(Schema):
    """A form that feeds or pages name."""

    id = fields.Integer()
    title = fields.String()


class Caller(Schema):
    """The caller: the name of a credential or key, the author of its pages, its scopes."""

    name = fields.String()
    author = fields.Integer()
    scopes = fields.List(fields.String())
