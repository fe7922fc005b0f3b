"""The operations of the HTTP API as methods.

Written by `python docs/python_types.py`: change the declarations instead.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, Unpack, overload

from landform.service.python import shapes
from landform.service.python.values import Listed


class Call(Protocol):
    """What calls an operation by its name, with the ids in its path, and its arguments."""

    def __call__(
        self, name: str, path: tuple[int | str, ...], arguments: Mapping[str, object]
    ) -> Any:
        """Return what it responds."""


class Operations:
    """Every operation of the HTTP API as a method."""

    _call: Call

    @overload
    def list_pages(
        self, *, context: Literal["view"] = "view", **arguments: Unpack[shapes.ListPages]
    ) -> Listed[shapes.PageView]: ...

    @overload
    def list_pages(
        self, *, context: Literal["embed"], **arguments: Unpack[shapes.ListPages]
    ) -> Listed[shapes.PageEmbed]: ...

    @overload
    def list_pages(
        self, *, context: Literal["edit"], **arguments: Unpack[shapes.ListPages]
    ) -> Listed[shapes.PageEdit]: ...

    def list_pages(self, **arguments: Any) -> Any:
        """Return published pages to anyone, every page to callers with the scope `pages:read`.

        This is `GET /pages`.
        """
        return self._call("list_pages", (), arguments)

    def create_page(self, **arguments: Unpack[shapes.CreatePage]) -> shapes.PageEdit:
        """Create a page and return it in the edit context.

        This is `POST /pages`. It needs the scope pages:write.
        """
        found: shapes.PageEdit = self._call("create_page", (), arguments)
        return found

    @overload
    def get_page(
        self,
        page_id: int | str,
        /,
        *,
        context: Literal["view"] = "view",
        **arguments: Unpack[shapes.GetPage],
    ) -> shapes.PageView: ...

    @overload
    def get_page(
        self,
        page_id: int | str,
        /,
        *,
        context: Literal["embed"],
        **arguments: Unpack[shapes.GetPage],
    ) -> shapes.PageEmbed: ...

    @overload
    def get_page(
        self,
        page_id: int | str,
        /,
        *,
        context: Literal["edit"],
        **arguments: Unpack[shapes.GetPage],
    ) -> shapes.PageEdit: ...

    def get_page(self, page_id: int | str, /, **arguments: Any) -> Any:
        """Return a page: a published one to anyone, another one with the scope `pages:read`.

        This is `GET /pages/<page_id>`.
        """
        return self._call("get_page", (page_id,), arguments)

    def update_page(
        self, page_id: int | str, /, **arguments: Unpack[shapes.UpdatePage]
    ) -> shapes.PageEdit:
        """Change what is sent of a page and return the page; what is not sent stays.

        This is `PUT /pages/<page_id>`. It needs the scope pages:write.
        """
        found: shapes.PageEdit = self._call("update_page", (page_id,), arguments)
        return found

    @overload
    def delete_page(
        self,
        page_id: int | str,
        /,
        *,
        force: Literal[False] = False,
        **arguments: Unpack[shapes.DeletePage],
    ) -> shapes.PageEdit: ...

    @overload
    def delete_page(
        self, page_id: int | str, /, *, force: Literal[True], **arguments: Unpack[shapes.DeletePage]
    ) -> shapes.PageDeleted: ...

    def delete_page(self, page_id: int | str, /, **arguments: Any) -> Any:
        """Move a page to the trash and return it; with `force` remove it for good.

        This is `DELETE /pages/<page_id>`. It needs the scope pages:write.
        """
        return self._call("delete_page", (page_id,), arguments)

    def whoami(self, **arguments: Unpack[shapes.Whoami]) -> shapes.Caller:
        """Return the caller's name, author id and scopes.

        This is `GET /whoami`.
        """
        found: shapes.Caller = self._call("whoami", (), arguments)
        return found

    def list_feeds(self, **arguments: Unpack[shapes.ListFeeds]) -> Listed[shapes.FeedRead]:
        """Return the feeds of all forms, by `feed_order`, then `id`.

        This is `GET /feeds`. It needs the scope feeds:read.
        """
        found: Listed[shapes.FeedRead] = self._call("list_feeds", (), arguments)
        return found

    def create_feed(self, **arguments: Unpack[shapes.CreateFeed]) -> shapes.FeedWritten:
        """Create a feed and return it with integer ids.

        This is `POST /feeds`. It needs the scope feeds:write.
        """
        found: shapes.FeedWritten = self._call("create_feed", (), arguments)
        return found

    def get_feed(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.GetFeed]
    ) -> shapes.FeedRead:
        """Return a feed, unless `include` or `addon` exclude it.

        This is `GET /feeds/<feed_id>`. It needs the scope feeds:read.
        """
        found: shapes.FeedRead = self._call("get_feed", (feed_id,), arguments)
        return found

    def update_feed(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.UpdateFeed]
    ) -> shapes.FeedWritten:
        """Replace a feed: `form_id`, `meta` and `addon_slug` are required.

        This is `PUT /feeds/<feed_id>`. It needs the scope feeds:write.
        """
        found: shapes.FeedWritten = self._call("update_feed", (feed_id,), arguments)
        return found

    def patch_feed(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.PatchFeed]
    ) -> shapes.FeedWritten:
        """Change what is sent of a feed; `meta` is merged as a JSON Merge Patch (RFC 7396).

        This is `PATCH /feeds/<feed_id>`. It needs the scope feeds:write.
        """
        found: shapes.FeedWritten = self._call("patch_feed", (feed_id,), arguments)
        return found

    def delete_feed(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.DeleteFeed]
    ) -> shapes.FeedDeleted:
        """Remove a feed and return it as it last was, with `deleted`.

        This is `DELETE /feeds/<feed_id>`. It needs the scope feeds:write.
        """
        found: shapes.FeedDeleted = self._call("delete_feed", (feed_id,), arguments)
        return found

    def update_properties(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.UpdateProperties]
    ) -> str:
        """Change what is sent of a feed, where `meta` is replaced; return a message.

        This is `PUT /feeds/<feed_id>/properties`. It needs the scope feeds:write.
        """
        found: str = self._call("update_properties", (feed_id,), arguments)
        return found

    def list_form_feeds(
        self, form_id: int | str, /, **arguments: Unpack[shapes.ListFormFeeds]
    ) -> Listed[shapes.FeedRead]:
        """Return the feeds of one form, by `feed_order`, then `id`.

        This is `GET /forms/<form_id>/feeds`. It needs the scope feeds:read.
        """
        found: Listed[shapes.FeedRead] = self._call("list_form_feeds", (form_id,), arguments)
        return found

    def create_form_feed(
        self, form_id: int | str, /, **arguments: Unpack[shapes.CreateFormFeed]
    ) -> shapes.FeedWritten:
        """Create a feed for the form in the path, whatever form the body names.

        This is `POST /forms/<form_id>/feeds`. It needs the scope feeds:write.
        """
        found: shapes.FeedWritten = self._call("create_form_feed", (form_id,), arguments)
        return found
