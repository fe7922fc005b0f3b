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

    def create_preview(
        self, page_id: int | str, /, **arguments: Unpack[shapes.CreatePreview]
    ) -> shapes.PagePreview:
        """Return a signed address that shows the page as it is, whatever its status and window.

        This is `POST /pages/<page_id>/preview`. It needs the scope pages:read.
        """
        found: shapes.PagePreview = self._call("create_preview", (page_id,), arguments)
        return found

    def revoke_previews(
        self, page_id: int | str, /, **arguments: Unpack[shapes.RevokePreviews]
    ) -> shapes.PreviewsRevoked:
        """End every preview of the page at once.

        This is `DELETE /pages/<page_id>/preview`. It needs the scope pages:read.
        """
        found: shapes.PreviewsRevoked = self._call("revoke_previews", (page_id,), arguments)
        return found

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

    def duplicate_feed(
        self, feed_id: int | str, /, **arguments: Unpack[shapes.DuplicateFeed]
    ) -> shapes.FeedWritten:
        """Create an inactive copy of a feed, "... (copy)", in its form or another one.

        This is `POST /feeds/<feed_id>/duplicate`. It needs the scope feeds:write.
        """
        found: shapes.FeedWritten = self._call("duplicate_feed", (feed_id,), arguments)
        return found

    def plan_feeds(
        self, form_id: int | str, /, **arguments: Unpack[shapes.PlanFeeds]
    ) -> shapes.FeedPlan:
        """Return the feeds of a form that run for an entry, in their order, and why others do not.

        This is `POST /forms/<form_id>/feeds/plan`. It needs the scope feeds:read.
        """
        found: shapes.FeedPlan = self._call("plan_feeds", (form_id,), arguments)
        return found

    def order_feeds(
        self, form_id: int | str, /, **arguments: Unpack[shapes.OrderFeeds]
    ) -> Listed[shapes.FeedRead]:
        """Put the feeds of a form into an order, all at once, and return them in it.

        This is `PUT /forms/<form_id>/feeds/order`. It needs the scope feeds:write.
        """
        found: Listed[shapes.FeedRead] = self._call("order_feeds", (form_id,), arguments)
        return found

    def list_runs(self, **arguments: Unpack[shapes.ListRuns]) -> Listed[shapes.Run]:
        """Return runs by form, feed, entry, state and time, the newest first.

        This is `GET /runs`. It needs the scope feeds:read.
        """
        found: Listed[shapes.Run] = self._call("list_runs", (), arguments)
        return found

    def list_due_runs(self, **arguments: Unpack[shapes.ListDueRuns]) -> Listed[shapes.Run]:
        """Return the runs that may be claimed again now, those first that are due for the longest.

        This is `GET /runs/due`. It needs the scope feeds:read.
        """
        found: Listed[shapes.Run] = self._call("list_due_runs", (), arguments)
        return found

    def claim_run(self, feed_id: int | str, /, **arguments: Unpack[shapes.ClaimRun]) -> shapes.Run:
        """Claim the run of a feed for an entry, for a lease; nobody else can until it ends.

        This is `POST /feeds/<feed_id>/runs`. It needs the scope runs:write.
        """
        found: shapes.Run = self._call("claim_run", (feed_id,), arguments)
        return found

    def get_run(
        self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[shapes.GetRun]
    ) -> shapes.Run:
        """Return a run of a feed.

        This is `GET /feeds/<feed_id>/runs/<run_id>`. It needs the scope feeds:read.
        """
        found: shapes.Run = self._call("get_run", (feed_id, run_id), arguments)
        return found

    def end_run(
        self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[shapes.EndRun]
    ) -> shapes.Run:
        """End a claimed run: it was a success, was skipped, or failed for good or for now.

        This is `PATCH /feeds/<feed_id>/runs/<run_id>`. It needs the scope runs:write.
        """
        found: shapes.Run = self._call("end_run", (feed_id, run_id), arguments)
        return found

    def replay_run(
        self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[shapes.ReplayRun]
    ) -> shapes.Run:
        """Let a run that has ended be claimed once more.

        This is `POST /feeds/<feed_id>/runs/<run_id>/replay`. It needs the scope runs:write.
        """
        found: shapes.Run = self._call("replay_run", (feed_id, run_id), arguments)
        return found
