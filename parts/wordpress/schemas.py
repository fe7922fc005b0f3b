"""Schemas of what clients of WordPress and Gravity Forms ask for.

OpenAPI describes the responses as objects only.
"""

from landform.schemas import fields, pages
from landform.schemas.fields import Ignored, ListOf, Number
from landform.schemas.known_names import Tolerant


class Described(Tolerant):
    """A query with a context, which changes nothing."""

    context = fields.Text("Without effect.", pages.CONTEXT_NAMES, load_default="view")


class Whole(Described):
    """A query whose paging parameters are ignored: the whole list is returned."""

    page = Ignored()
    per_page = Ignored()
    order = Ignored()
    orderby = Ignored()


class UserList(pages.Paged, Described):
    """The query of a list of authors."""

    include = ListOf("Only these authors, by number.", Number())
    exclude = ListOf("Not these authors, by number.", Number())  # type: ignore[assignment] # the metaclass takes it away
    slug = ListOf("Only authors with these slugs.", fields.Text())
    search = pages.Search("Only authors whose name or slug contains this text.")
    order = fields.Text("The direction of the order.", ("asc", "desc"), load_default="asc")
    # An author is only a number, so there is one order and one kind of author.
    orderby = Ignored()
    who = Ignored()


class FormList(Tolerant):
    """The query of a list of forms."""

    include = ListOf("Only forms with these ids.", Number())
