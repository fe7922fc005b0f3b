"""The types of the Python API, written by `make types` from the contracts and schemas."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Required, TypedDict, Unpack, overload

from landform.service.operations import Operation, Route
from landform.service.python.calls import Listed

def operations(parts: tuple[type, ...]) -> dict[str, tuple[Route, Operation]]: ...

def keyword_arguments(operation: Operation) -> list[str]: ...

class Operations:
    """Every operation of the HTTP API as a method."""

    def _call(self, route: Route, operation: Operation, arguments: dict[str, Any]) -> Any: ...
    @overload
    def list_pages(self, *, context: Literal["view"] = "view", **arguments: Unpack[ListPages]) -> Listed[PageView]:
        """Return published pages, and all pages to callers with the scope `pages:read`."""
    @overload
    def list_pages(self, *, context: Literal["embed"], **arguments: Unpack[ListPages]) -> Listed[PageEmbed]:
        """Return published pages, and all pages to callers with the scope `pages:read`."""
    @overload
    def list_pages(self, *, context: Literal["edit"], **arguments: Unpack[ListPages]) -> Listed[PageEdit]:
        """Return published pages, and all pages to callers with the scope `pages:read`."""
    def create_page(self, **arguments: Unpack[CreatePage]) -> PageEdit:
        """Create a page and return it in the edit context."""
    @overload
    def get_page(self, page_id: int | str, /, *, context: Literal["view"] = "view", **arguments: Unpack[GetPage]) -> PageView:
        """Return a published page to anyone, another page with the scope `pages:read`."""
    @overload
    def get_page(self, page_id: int | str, /, *, context: Literal["embed"], **arguments: Unpack[GetPage]) -> PageEmbed:
        """Return a published page to anyone, another page with the scope `pages:read`."""
    @overload
    def get_page(self, page_id: int | str, /, *, context: Literal["edit"], **arguments: Unpack[GetPage]) -> PageEdit:
        """Return a published page to anyone, another page with the scope `pages:read`."""
    def update_page(self, page_id: int | str, /, **arguments: Unpack[UpdatePage]) -> PageEdit:
        """Change the fields that are sent, and return the page."""
    @overload
    def delete_page(self, page_id: int | str, /, *, force: Literal[False] = False, **arguments: Unpack[DeletePage]) -> PageEdit:
        """Move a page to the trash and return it; with `force` delete it permanently."""
    @overload
    def delete_page(self, page_id: int | str, /, *, force: Literal[True], **arguments: Unpack[DeletePage]) -> PageDeleted:
        """Move a page to the trash and return it; with `force` delete it permanently."""
    def count_pages(self, **arguments: Unpack[CountPages]) -> PageCounts:
        """Return the number of pages of each status."""
    def duplicate_page(self, page_id: int | str, /, **arguments: Unpack[DuplicatePage]) -> PageEdit:
        """Create a draft, "... (copy)", with the content and meta of a page, also of a trashed one."""
    def list_previews(self, page_id: int | str, /, **arguments: Unpack[ListPreviews]) -> Listed[PagePreview]:
        """Return the valid previews of the page, at most 100, by their end, the latest first."""
    def create_preview(self, page_id: int | str, /, **arguments: Unpack[CreatePreview]) -> PagePreview:
        """Return a signed URL that shows the page with any status and window."""
    def revoke_previews(self, page_id: int | str, /, **arguments: Unpack[RevokePreviews]) -> PreviewsRevoked:
        """End every preview of the page at once."""
    def render_page(self, **arguments: Unpack[RenderPage]) -> PageDocument:
        """Return the HTML of a page with these fields for visitors; nothing is stored."""
    @overload
    def list_revisions(self, page_id: int | str, /, *, context: Literal["view"] = "view", **arguments: Unpack[ListRevisions]) -> Listed[RevisionView]:
        """Return the revisions of a page, the newest first."""
    @overload
    def list_revisions(self, page_id: int | str, /, *, context: Literal["embed"], **arguments: Unpack[ListRevisions]) -> Listed[RevisionEmbed]:
        """Return the revisions of a page, the newest first."""
    @overload
    def list_revisions(self, page_id: int | str, /, *, context: Literal["edit"], **arguments: Unpack[ListRevisions]) -> Listed[RevisionEdit]:
        """Return the revisions of a page, the newest first."""
    @overload
    def get_revision(self, page_id: int | str, revision_id: int | str, /, *, context: Literal["view"] = "view", **arguments: Unpack[GetRevision]) -> RevisionView:
        """Return a revision, with `diff` also the changes after it."""
    @overload
    def get_revision(self, page_id: int | str, revision_id: int | str, /, *, context: Literal["embed"], **arguments: Unpack[GetRevision]) -> RevisionEmbed:
        """Return a revision, with `diff` also the changes after it."""
    @overload
    def get_revision(self, page_id: int | str, revision_id: int | str, /, *, context: Literal["edit"], **arguments: Unpack[GetRevision]) -> RevisionEdit:
        """Return a revision, with `diff` also the changes after it."""
    @overload
    def get_revision(self, page_id: int | str, revision_id: int | str, /, *, context: Literal["diff"], **arguments: Unpack[GetRevision]) -> RevisionDiff:
        """Return a revision, with `diff` also the changes after it."""
    def delete_revision(self, page_id: int | str, revision_id: int | str, /, **arguments: Unpack[DeleteRevision]) -> RevisionDeleted:
        """Delete a revision permanently and return it; `force` is required."""
    def restore_revision(self, page_id: int | str, revision_id: int | str, /, **arguments: Unpack[RestoreRevision]) -> PageEdit:
        """Restore fields of a revision; the current page becomes a revision."""
    def whoami(self, **arguments: Unpack[Whoami]) -> Caller:
        """Return the caller's name, author id and scopes."""
    def list_feeds(self, **arguments: Unpack[ListFeeds]) -> Listed[FeedRead]:
        """Return the feeds of all forms, by `feed_order`, then `id`."""
    def create_feed(self, **arguments: Unpack[CreateFeed]) -> FeedWritten:
        """Create a feed and return it with integer ids."""
    def get_feed(self, feed_id: int | str, /, **arguments: Unpack[GetFeed]) -> FeedRead:
        """Return a feed, unless `include` or `addon` exclude it."""
    def update_feed(self, feed_id: int | str, /, **arguments: Unpack[UpdateFeed]) -> FeedWritten:
        """Update a feed: `form_id`, `meta` and `addon_slug` are required, other fields stay."""
    def patch_feed(self, feed_id: int | str, /, **arguments: Unpack[PatchFeed]) -> FeedWritten:
        """Change the fields that are sent; `meta` is a JSON Merge Patch (RFC 7396)."""
    def delete_feed(self, feed_id: int | str, /, **arguments: Unpack[DeleteFeed]) -> FeedDeleted:
        """Delete a feed and return it, with `deleted`."""
    def update_properties(self, feed_id: int | str, /, **arguments: Unpack[UpdateProperties]) -> str:
        """Change the properties that are sent; `meta` is replaced. Returns a message."""
    def list_form_feeds(self, form_id: int | str, /, **arguments: Unpack[ListFormFeeds]) -> Listed[FeedRead]:
        """Return the feeds of one form, by `feed_order`, then `id`."""
    def create_form_feed(self, form_id: int | str, /, **arguments: Unpack[CreateFormFeed]) -> FeedWritten:
        """Create a feed for the form in the path; a form in the body is ignored."""
    def duplicate_feed(self, feed_id: int | str, /, **arguments: Unpack[DuplicateFeed]) -> FeedWritten:
        """Create an inactive copy of a feed, "... (copy)", in its form or another one."""
    def plan_feeds(self, form_id: int | str, /, **arguments: Unpack[PlanFeeds]) -> FeedPlan:
        """Return the feeds of a form that run for an entry, in their order."""
    def order_feeds(self, form_id: int | str, /, **arguments: Unpack[OrderFeeds]) -> Listed[FeedRead]:
        """Set the order of all feeds of a form, and return them in it."""
    def list_events(self, **arguments: Unpack[ListEvents]) -> Listed[Event]:
        """Return events, the oldest first, with the URL of the next ones in `Link`."""
    def list_runs(self, **arguments: Unpack[ListRuns]) -> Listed[Run]:
        """Return runs by form, feed, entry, state and time, the newest first."""
    def list_due_runs(self, **arguments: Unpack[ListDueRuns]) -> Listed[Run]:
        """Return the runs that may be claimed again now, in the order of their due times."""
    def claim_run(self, feed_id: int | str, /, **arguments: Unpack[ClaimRun]) -> Run:
        """Claim the run of a feed for an entry, exclusively until the lease ends."""
    def get_run(self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[GetRun]) -> Run:
        """Return a run of a feed."""
    def end_run(self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[EndRun]) -> Run:
        """End a claimed run with success, as skipped, or with a failure."""
    def replay_run(self, feed_id: int | str, run_id: int | str, /, **arguments: Unpack[ReplayRun]) -> Run:
        """Let a run that has ended be claimed once more."""
    def list_webhooks(self, **arguments: Unpack[ListWebhooks]) -> Listed[Webhook]:
        """Return all webhooks, by `id`."""
    def create_webhook(self, **arguments: Unpack[CreateWebhook]) -> WebhookWithSecret:
        """Create a webhook for events from now on; its secret is returned only once."""
    def get_webhook(self, webhook_id: int | str, /, **arguments: Unpack[GetWebhook]) -> Webhook:
        """Return a webhook, with its last deliveries."""
    def update_webhook(self, webhook_id: int | str, /, **arguments: Unpack[UpdateWebhook]) -> Webhook:
        """Change the fields that are sent; when activated it continues where it stopped."""
    def delete_webhook(self, webhook_id: int | str, /, **arguments: Unpack[DeleteWebhook]) -> Webhook:
        """Delete a webhook and return it."""
    def rotate_webhook(self, webhook_id: int | str, /, **arguments: Unpack[RotateWebhook]) -> WebhookWithSecret:
        """Replace the secret of a webhook; the former secrets also sign for a day."""
    def test_webhook(self, webhook_id: int | str, /, **arguments: Unpack[TestWebhook]) -> Delivery:
        """Send a `test` event; return its result, or a 202 after two seconds."""
    def replay_webhook(self, webhook_id: int | str, /, **arguments: Unpack[ReplayWebhook]) -> Webhook:
        """Deliver events again: all after an id or a time, or all that were set aside."""
    def list_forms(self, **arguments: Unpack[ListForms]) -> Any:
        """Return the forms by id: `id`, `title` and `entries`; with `include` whole forms."""
    def create_form(self, **arguments: Any) -> dict[str, Any]:
        """Create a form. A title in use gets a number."""
    def get_form(self, form_id: int | str, /, **arguments: Unpack[GetForm]) -> dict[str, Any]:
        """Return a form, also one in the trash."""
    def update_form(self, form_id: int | str, /, **arguments: Any) -> dict[str, Any]:
        """Replace a form. Without `confirmations` and `is_active` these stay."""
    @overload
    def delete_form(self, form_id: int | str, /, *, force: Literal[False] = False, **arguments: Unpack[DeleteForm]) -> dict[str, Any]:
        """Move a form to the trash, or with `force` delete it, its entries and its feeds."""
    @overload
    def delete_form(self, form_id: int | str, /, *, force: Literal[True], **arguments: Unpack[DeleteForm]) -> FormDeleted:
        """Move a form to the trash, or with `force` delete it, its entries and its feeds."""
    def submit_form(self, form_id: int | str, /, **arguments: Any) -> Any:
        """Submit a form; the response has the confirmation, or a message for each wrong field."""
    def validate_submission(self, form_id: int | str, /, **arguments: Any) -> SubmissionValid:
        """Check a submission; nothing is stored."""
    def list_entries(self, **arguments: Unpack[ListEntries]) -> Any:
        """Return active entries, the newest first, or those of a search, with their number."""
    def create_entry(self, **arguments: Any) -> dict[str, Any]:
        """Store an entry: the values are not checked, and no feed runs."""
    def list_form_entries(self, form_id: int | str, /, **arguments: Unpack[ListFormEntries]) -> Any:
        """Return the entries of a form, as the list of all entries does."""
    def create_form_entry(self, form_id: int | str, /, **arguments: Any) -> dict[str, Any]:
        """Store an entry of the form in the path."""
    def erase_entries(self, **arguments: Unpack[EraseEntries]) -> EntriesErased:
        """Delete every entry with an e-mail address for good, in all forms; return how many."""
    def get_entry(self, entry_id: int | str, /, **arguments: Unpack[GetEntry]) -> dict[str, Any]:
        """Return an entry."""
    def update_entry(self, entry_id: int | str, /, **arguments: Any) -> dict[str, Any]:
        """Replace the values of an entry, and write the properties that are sent."""
    @overload
    def delete_entry(self, entry_id: int | str, /, *, force: Literal[False] = False, **arguments: Unpack[DeleteEntry]) -> dict[str, Any]:
        """Move an entry to the trash, or with `force` delete it for good."""
    @overload
    def delete_entry(self, entry_id: int | str, /, *, force: Literal[True], **arguments: Unpack[DeleteEntry]) -> EntryDeleted:
        """Move an entry to the trash, or with `force` delete it for good."""
    def update_entry_properties(self, entry_id: int | str, /, **arguments: Unpack[UpdateEntryProperties]) -> str:
        """Change the status, the star or whether an entry was read. Returns a message."""
    def send_notifications(self, entry_id: int | str, /, **arguments: Any) -> Any:
        """Send the notifications of an entry, of which there are none: feeds do that."""
    def list_notes(self, entry_id: int | str, /, **arguments: Unpack[ListNotes]) -> Any:
        """Return the notes on an entry by their ids, the oldest first."""
    def create_note(self, entry_id: int | str, /, **arguments: Unpack[CreateNote]) -> NoteRead:
        """Write a note on an entry, with the name of the caller."""
    def get_note(self, note_id: int | str, /, **arguments: Unpack[GetNote]) -> NoteRead:
        """Return a note."""
    def update_note(self, note_id: int | str, /, **arguments: Unpack[UpdateNote]) -> NoteRead:
        """Replace the text of a note; its author and its date stay."""
    def delete_note(self, note_id: int | str, /, **arguments: Unpack[DeleteNote]) -> NoteDeleted:
        """Delete a note for good."""
    def test_feed(self, feed_id: int | str, /, **arguments: Unpack[TestFeed]) -> MailTest:
        """Send a mail with sample values to the fixed addresses of a feed of the add-on `email`."""
    def batch(self, **arguments: Unpack[Batch]) -> BatchResponses:
        """Carry out several writes in one commit; each is authorized and validated."""

class PageMeta(TypedDict):
    """The custom fields of a page."""

    starts_at: str
    ends_at: str
    form_id: str
    viral_share: list[Any]
    instant_win: list[Any]
    language: list[Any]
    gallery: list[Any]

class Rendered(TypedDict):
    """A rendered text."""

    rendered: str

class Content(TypedDict):
    """The content, and whether a password protects it."""

    rendered: str
    protected: bool

class PageView(TypedDict):
    """A page in the view context."""

    id: int
    date: str
    modified: str
    slug: str
    status: str
    link: str
    title: Rendered
    content: Content
    author: int
    meta: PageMeta

class PageEmbed(TypedDict):
    """A page in the embed context."""

    id: int
    date: str
    slug: str
    link: str
    title: Rendered
    author: int

class RawAndRendered(TypedDict):
    """A text as it was sent, and rendered."""

    rendered: str
    raw: str

class EditContent(TypedDict):
    """The content with its source."""

    rendered: str
    protected: bool
    raw: str
    block_version: int

class PageEdit(TypedDict):
    """A page in the edit context."""

    id: int
    date: str
    modified: str
    slug: str
    status: str
    link: str
    title: RawAndRendered
    content: EditContent
    author: int
    meta: PageMeta
    password: str

class ListPages(TypedDict, total=False):
    """What `list_pages` takes."""

    page: int
    per_page: int
    search: str
    after: datetime | str
    before: datetime | str
    modified_after: datetime | str
    modified_before: datetime | str
    author: int | Sequence[int]
    author_exclude: int | Sequence[int]
    include: int | Sequence[int]
    exclude: int | Sequence[int]
    offset: int
    order: Literal["asc", "desc"]
    orderby: Literal["author", "date", "id", "include", "modified", "parent", "relevance", "slug", "include_slugs", "title"]
    search_columns: Literal["title", "content", "excerpt"] | Sequence[Literal["title", "content", "excerpt"]]
    slug: str | Sequence[str]
    status: Literal["publish", "future", "draft", "pending", "private", "trash", "any"] | Sequence[Literal["publish", "future", "draft", "pending", "private", "trash", "any"]]
    open_at: datetime | str
    window_changes_before: datetime | str
    tax_relation: Literal["AND", "OR"]
    password: str
    form_id: str | Sequence[str]
    language: str | Sequence[str]
    _fields: str | Sequence[str]

class PageMetaValues(TypedDict, total=False):
    """The custom fields of a page; null resets a field, unknown fields are dropped."""

    starts_at: str | None
    ends_at: str | None
    form_id: str | None
    viral_share: Sequence[Any] | None
    instant_win: Sequence[Any] | None
    language: Sequence[Any] | None
    gallery: Sequence[Any] | None

class CreatePage(TypedDict, total=False):
    """What `create_page` takes."""

    title: Required[str | Mapping[str, str]]
    date: datetime | str | None
    slug: str | None
    status: Literal["publish", "future", "draft", "pending", "private"] | None
    password: str | None
    content: str | Mapping[str, str] | None
    author: int | None
    meta: PageMetaValues | None
    _fields: str | Sequence[str]
    idempotency_key: str

class GetPage(TypedDict, total=False):
    """What `get_page` takes."""

    password: str
    preview: str
    _fields: str | Sequence[str]

class UpdatePage(TypedDict, total=False):
    """What `update_page` takes."""

    title: str | Mapping[str, str] | None
    date: datetime | str | None
    slug: str | None
    status: Literal["publish", "future", "draft", "pending", "private", "trash"] | None
    password: str | None
    content: str | Mapping[str, str] | None
    author: int | None
    meta: PageMetaValues | None
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class PageDeleted(TypedDict):
    """A permanently deleted page."""

    deleted: Literal[True]
    previous: PageEdit

class DeletePage(TypedDict, total=False):
    """What `delete_page` takes."""

    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class PageCounts(TypedDict):
    """The numbers of pages by status. A scheduled page whose date has come counts as published."""

    publish: int
    future: int
    draft: int
    pending: int
    private: int
    trash: int

class CountPages(TypedDict, total=False):
    """What `count_pages` takes."""

    _fields: str | Sequence[str]

class DuplicatePage(TypedDict, total=False):
    """What `duplicate_page` takes."""

    _fields: str | Sequence[str]
    idempotency_key: str

class PagePreview(TypedDict):
    """A preview: its token, its address, and when both expire."""

    id: int
    token: str
    link: str
    expires: str
    expires_gmt: str

class ListPreviews(TypedDict, total=False):
    """What `list_previews` takes."""

    _fields: str | Sequence[str]

class CreatePreview(TypedDict, total=False):
    """What `create_preview` takes."""

    expires_in: int
    _fields: str | Sequence[str]

class PreviewsRevoked(TypedDict):
    """The response after all previews of a page were revoked."""

    revoked: Literal[True]

class RevokePreviews(TypedDict, total=False):
    """What `revoke_previews` takes."""

    _fields: str | Sequence[str]

class PageDocument(TypedDict):
    """A page as visitors would see it."""

    html: str

class RenderPage(TypedDict, total=False):
    """What `render_page` takes."""

    title: str | Mapping[str, str] | None
    date: datetime | str | None
    slug: str | None
    status: Literal["publish", "future", "draft", "pending", "private", "trash"] | None
    password: str | None
    content: str | Mapping[str, str] | None
    author: int | None
    meta: PageMetaValues | None
    id: int | None
    _fields: str | Sequence[str]

class RevisionView(TypedDict):
    """A page as it was before a write changed it."""

    id: int
    parent: int
    author: int
    date: str
    date_gmt: str
    modified: str
    modified_gmt: str
    guid: Rendered
    slug: str
    status: str
    title: Rendered
    content: Content
    excerpt: Content
    meta: PageMeta
    changed: list[str]
    replaced_by: int
    replaced_gmt: str
    _links: dict[str, Any]

class RevisionEmbed(TypedDict):
    """A revision in the embed context."""

    id: int
    parent: int
    author: int
    date: str
    slug: str
    title: Rendered
    excerpt: Content
    _links: dict[str, Any]

class EditExcerpt(TypedDict):
    """The excerpt with its source, which is always empty."""

    rendered: str
    protected: bool
    raw: Literal['']

class RevisionEdit(TypedDict):
    """A revision in the edit context."""

    id: int
    parent: int
    author: int
    date: str
    date_gmt: str
    modified: str
    modified_gmt: str
    guid: RawAndRendered
    slug: str
    status: str
    title: RawAndRendered
    content: EditContent
    excerpt: EditExcerpt
    meta: PageMeta
    changed: list[str]
    replaced_by: int
    replaced_gmt: str
    _links: dict[str, Any]

class ListRevisions(TypedDict, total=False):
    """What `list_revisions` takes."""

    page: int
    per_page: int
    order: Literal["asc", "desc"]
    _fields: str | Sequence[str]

class RevisionDiff(TypedDict):
    """A revision with the changes that the next write made."""

    id: int
    parent: int
    author: int
    date: str
    date_gmt: str
    modified: str
    modified_gmt: str
    guid: RawAndRendered
    slug: str
    status: str
    title: RawAndRendered
    content: EditContent
    excerpt: EditExcerpt
    meta: PageMeta
    changed: list[str]
    replaced_by: int
    replaced_gmt: str
    _links: dict[str, Any]
    diff: dict[str, Any]

class GetRevision(TypedDict, total=False):
    """What `get_revision` takes."""

    diff: bool
    _fields: str | Sequence[str]

class RevisionDeleted(TypedDict):
    """A deleted revision."""

    deleted: Literal[True]
    previous: RevisionEdit

class DeleteRevision(TypedDict, total=False):
    """What `delete_revision` takes."""

    force: bool
    _fields: str | Sequence[str]

class RestoreRevision(TypedDict, total=False):
    """What `restore_revision` takes."""

    fields: Sequence[Literal["title", "content", "slug", "status", "meta"]]
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class Caller(TypedDict):
    """The caller: its name, its author id and its scopes."""

    name: str
    author: int
    scopes: list[str]

class Whoami(TypedDict, total=False):
    """What `whoami` takes."""

    _fields: str | Sequence[str]

class FeedRead(TypedDict):
    """A feed as get, list and delete return it."""

    id: str
    form_id: str
    is_active: str
    feed_order: str
    meta: dict[str, Any]
    addon_slug: str
    event_type: str | None

class ListFeeds(TypedDict, total=False):
    """What `list_feeds` takes."""

    include: int | Sequence[int]
    addon: str
    form_id: int | Sequence[int]
    is_active: bool
    _fields: str | Sequence[str]

class FeedWritten(TypedDict):
    """A feed as create and the updates return it: with these fields only, as Gravity Forms does."""

    id: int
    form_id: int
    meta: dict[str, Any]
    addon_slug: str

class CreateFeed(TypedDict, total=False):
    """What `create_feed` takes."""

    form_id: Required[int]
    addon_slug: Required[str]
    meta: Required[Mapping[str, Any]]
    is_active: bool
    feed_order: int
    _fields: str | Sequence[str]
    idempotency_key: str

class GetFeed(TypedDict, total=False):
    """What `get_feed` takes."""

    include: int | Sequence[int]
    addon: str
    _fields: str | Sequence[str]

class UpdateFeed(TypedDict, total=False):
    """What `update_feed` takes."""

    form_id: Required[int]
    addon_slug: Required[str]
    meta: Required[Mapping[str, Any]]
    is_active: bool
    feed_order: int
    event_type: str | None
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class PatchFeed(TypedDict, total=False):
    """What `patch_feed` takes."""

    form_id: int
    addon_slug: str
    meta: Mapping[str, Any]
    is_active: bool
    feed_order: int
    event_type: str | None
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class FeedDeleted(TypedDict):
    """A feed as it last was."""

    id: str
    form_id: str
    is_active: str
    feed_order: str
    meta: dict[str, Any]
    addon_slug: str
    event_type: str | None
    deleted: Literal[True]

class DeleteFeed(TypedDict, total=False):
    """What `delete_feed` takes."""

    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class UpdateProperties(TypedDict, total=False):
    """What `update_properties` takes."""

    form_id: int
    addon_slug: str
    meta: Mapping[str, Any]
    is_active: bool
    feed_order: int
    event_type: str | None
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class ListFormFeeds(TypedDict, total=False):
    """What `list_form_feeds` takes."""

    include: int | Sequence[int]
    addon: str
    _fields: str | Sequence[str]

class CreateFormFeed(TypedDict, total=False):
    """What `create_form_feed` takes."""

    addon_slug: Required[str]
    meta: Required[Mapping[str, Any]]
    is_active: bool
    feed_order: int
    _fields: str | Sequence[str]
    idempotency_key: str

class DuplicateFeed(TypedDict, total=False):
    """What `duplicate_feed` takes."""

    form_id: int | None
    _fields: str | Sequence[str]
    idempotency_key: str

class PlannedFeed(TypedDict):
    """A feed that runs."""

    id: int
    version: int
    form_id: int
    addon_slug: str
    event_type: str | None
    meta: dict[str, Any]
    run_key: str | None

class AddonFeeds(TypedDict):
    """The feeds of one add-on that run."""

    addon_slug: str
    feeds: list[PlannedFeed]

class FeedProblem(TypedDict):
    """A feed whose conditional logic cannot be understood."""

    id: int
    problem: str

class ComparedRule(TypedDict):
    """A rule, the values that it was compared with, and whether they match."""

    fieldId: str
    operator: str
    value: str
    values: list[str]
    matches: bool

class SkippedFeed(TypedDict):
    """A feed that does not run, and the reason."""

    id: int
    version: int
    form_id: int
    addon_slug: str
    event_type: str | None
    reason: str
    problem: str
    rules: list[ComparedRule]

class FeedPlan(TypedDict):
    """A plan with `feeds`, or `groups` of them; `explain` adds `skipped`."""

    form_id: int
    entry_id: str | None
    feeds: list[PlannedFeed]
    groups: list[AddonFeeds]
    problems: list[FeedProblem]
    skipped: list[SkippedFeed]

class PlanFeeds(TypedDict, total=False):
    """What `plan_feeds` takes."""

    group: Literal["addon"]
    entry: Required[Any]
    properties: Any
    addon: str | None
    event_type: str | None
    form_0: bool
    first_only: Sequence[str]
    entry_id: str | None
    explain: bool
    _fields: str | Sequence[str]

class OrderFeeds(TypedDict, total=False):
    """What `order_feeds` takes."""

    partial: bool
    feeds: Required[Sequence[int]]
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class EventData(TypedDict):
    """The data of an event; which optional fields it has depends on the resource."""

    resource: str
    id: int | None
    version: int
    slug: str
    previous_slug: str
    status: str
    link: str | None
    form_id: int
    addon_slug: str
    is_active: bool
    changed: list[str]
    feed_id: int
    entry_id: str
    attempt: int
    retryable: bool

class Event(TypedDict):
    """An event."""

    id: int
    type: str
    timestamp: str
    data: EventData

class ListEvents(TypedDict, total=False):
    """What `list_events` takes."""

    after: int
    before: int
    until: datetime | str
    order: Literal["asc", "desc"]
    type: Literal["*", "page.*", "feed.*", "store.*", "run.*", "form.*", "entry.*", "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered", "feed.deleted", "store.imported", "store.restored", "run.succeeded", "run.failed", "form.created", "form.updated", "form.trashed", "form.restored", "form.deleted", "entry.created", "entry.updated", "entry.spam", "entry.deleted"] | Sequence[Literal["*", "page.*", "feed.*", "store.*", "run.*", "form.*", "entry.*", "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered", "feed.deleted", "store.imported", "store.restored", "run.succeeded", "run.failed", "form.created", "form.updated", "form.trashed", "form.restored", "form.deleted", "entry.created", "entry.updated", "entry.spam", "entry.deleted"]]
    resource_id: int | Sequence[int]
    per_page: int
    _fields: str | Sequence[str]

class Run(TypedDict):
    """A run of a feed for an entry."""

    id: int
    feed_id: int
    form_id: int
    entry_id: str
    state: str
    attempt: int
    until: str | None
    retry_at: str | None
    code: str
    message: str
    retryable: bool
    created: str
    modified: str
    run_key: str

class ListRuns(TypedDict, total=False):
    """What `list_runs` takes."""

    page: int
    per_page: int
    form_id: int | Sequence[int]
    feed_id: int | Sequence[int]
    entry_id: str
    state: Literal["claimed", "pending", "success", "skipped", "failed"] | Sequence[Literal["claimed", "pending", "success", "skipped", "failed"]]
    after: datetime | str
    before: datetime | str
    modified_after: datetime | str
    modified_before: datetime | str
    order: Literal["asc", "desc"]
    _fields: str | Sequence[str]

class ListDueRuns(TypedDict, total=False):
    """What `list_due_runs` takes."""

    page: int
    per_page: int
    form_id: int | Sequence[int]
    feed_id: int | Sequence[int]
    addon: str
    _fields: str | Sequence[str]

class ClaimRun(TypedDict, total=False):
    """What `claim_run` takes."""

    entry_id: Required[str]
    lease: int
    _fields: str | Sequence[str]

class GetRun(TypedDict, total=False):
    """What `get_run` takes."""

    _fields: str | Sequence[str]

class EndRun(TypedDict, total=False):
    """What `end_run` takes."""

    state: Required[Literal["success", "skipped", "failed"]]
    code: str
    message: str
    retryable: bool
    retry_at: datetime | str
    attempt: Required[int]
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class ReplayRun(TypedDict, total=False):
    """What `replay_run` takes."""

    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class Delivery(TypedDict):
    """An attempt to deliver an event, or a test."""

    event: int
    time: str
    status: int
    milliseconds: int
    response: str

class Webhook(TypedDict):
    """A webhook."""

    id: int
    url: str
    types: list[str]
    description: str
    active: bool
    reason: str
    last_event: int
    waiting: int
    failures: int
    next_try: str | None
    delivered: int
    failed: int
    set_aside: list[int]
    deliveries: list[Delivery]
    created: str

class ListWebhooks(TypedDict, total=False):
    """What `list_webhooks` takes."""

    _fields: str | Sequence[str]

class WebhookWithSecret(TypedDict):
    """A webhook, and the secret that its events are signed with."""

    id: int
    url: str
    types: list[str]
    description: str
    active: bool
    reason: str
    last_event: int
    waiting: int
    failures: int
    next_try: str | None
    delivered: int
    failed: int
    set_aside: list[int]
    deliveries: list[Delivery]
    created: str
    secret: str

class CreateWebhook(TypedDict, total=False):
    """What `create_webhook` takes."""

    url: Required[str]
    types: Sequence[Literal["*", "page.*", "feed.*", "store.*", "run.*", "form.*", "entry.*", "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered", "feed.deleted", "store.imported", "store.restored", "run.succeeded", "run.failed", "form.created", "form.updated", "form.trashed", "form.restored", "form.deleted", "entry.created", "entry.updated", "entry.spam", "entry.deleted"]]
    description: str
    active: bool
    _fields: str | Sequence[str]

class GetWebhook(TypedDict, total=False):
    """What `get_webhook` takes."""

    _fields: str | Sequence[str]

class UpdateWebhook(TypedDict, total=False):
    """What `update_webhook` takes."""

    url: str
    types: Sequence[Literal["*", "page.*", "feed.*", "store.*", "run.*", "form.*", "entry.*", "page.created", "page.updated", "page.published", "page.unpublished", "page.trashed", "page.restored", "page.deleted", "feed.created", "feed.updated", "feed.reordered", "feed.deleted", "store.imported", "store.restored", "run.succeeded", "run.failed", "form.created", "form.updated", "form.trashed", "form.restored", "form.deleted", "entry.created", "entry.updated", "entry.spam", "entry.deleted"]]
    description: str
    active: bool
    _fields: str | Sequence[str]

class DeleteWebhook(TypedDict, total=False):
    """What `delete_webhook` takes."""

    _fields: str | Sequence[str]

class RotateWebhook(TypedDict, total=False):
    """What `rotate_webhook` takes."""

    _fields: str | Sequence[str]

class TestWebhook(TypedDict, total=False):
    """What `test_webhook` takes."""

    _fields: str | Sequence[str]

class ReplayWebhook(TypedDict, total=False):
    """What `replay_webhook` takes."""

    after: int
    since: datetime | str
    _fields: str | Sequence[str]

class ListForms(TypedDict, total=False):
    """What `list_forms` takes."""

    include: int | Sequence[int]
    status: Literal["active", "inactive", "trash", "all"]
    _fields: str | Sequence[str]

class CreateForm(TypedDict, total=False):
    """What `create_form` takes."""

    title: str
    is_active: bool
    confirmations: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    retention_days: int
    fields: Sequence[Mapping[str, Any]]
    _fields: str | Sequence[str]
    idempotency_key: str

class GetForm(TypedDict, total=False):
    """What `get_form` takes."""

    _fields: str | Sequence[str]

class UpdateForm(TypedDict, total=False):
    """What `update_form` takes."""

    title: str
    is_active: bool
    confirmations: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    retention_days: int
    fields: Sequence[Mapping[str, Any]]
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class FormDeleted(TypedDict):
    """A form that was deleted for good."""

    deleted: Literal[True]
    previous: dict[str, Any]

class DeleteForm(TypedDict, total=False):
    """What `delete_form` takes."""

    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class SubmitForm(TypedDict, total=False):
    """What `submit_form` takes."""

    _validate_only: bool
    source_page: int | None
    field_values: Any
    target_page: int | None
    _fields: str | Sequence[str]
    idempotency_key: str

class SubmissionValid(TypedDict):
    """A submission that is valid, and was only checked."""

    page_number: int
    source_page_number: int
    is_valid: Literal[True]
    validation_messages: list[str]
    is_spam: bool

class ValidateSubmission(TypedDict, total=False):
    """What `validate_submission` takes."""

    source_page: int | None
    field_values: Any
    target_page: int | None
    _fields: str | Sequence[str]

class EntrySortingValues(TypedDict, total=False):
    """The order of a list of entries."""

    key: str
    direction: str
    is_numeric: bool

class EntryPagingValues(TypedDict, total=False):
    """The page of a list of entries."""

    page_size: int
    current_page: int
    offset: int

class ListEntries(TypedDict, total=False):
    """What `list_entries` takes."""

    _field_ids: str
    _labels: bool
    form_ids: int | Sequence[int]
    include: int | Sequence[int]
    search: str
    sorting: EntrySortingValues
    paging: EntryPagingValues
    _fields: str | Sequence[str]

class CreateEntry(TypedDict, total=False):
    """What `create_entry` takes."""

    status: Literal["active", "spam", "trash"] | None
    is_read: bool | None
    is_starred: bool | None
    created_by: int | None
    date_created: str | None
    date_updated: str | None
    ip: str | None
    source_url: str | None
    user_agent: str | None
    post_id: Any
    currency: Any
    payment_status: Any
    payment_date: Any
    payment_amount: Any
    payment_method: Any
    transaction_id: Any
    transaction_type: Any
    is_fulfilled: Any
    form_id: Required[int]
    _fields: str | Sequence[str]

class ListFormEntries(TypedDict, total=False):
    """What `list_form_entries` takes."""

    _field_ids: str
    _labels: bool
    form_ids: int | Sequence[int]
    include: int | Sequence[int]
    search: str
    sorting: EntrySortingValues
    paging: EntryPagingValues
    _fields: str | Sequence[str]

class CreateFormEntry(TypedDict, total=False):
    """What `create_form_entry` takes."""

    status: Literal["active", "spam", "trash"] | None
    is_read: bool | None
    is_starred: bool | None
    created_by: int | None
    date_created: str | None
    date_updated: str | None
    ip: str | None
    source_url: str | None
    user_agent: str | None
    post_id: Any
    currency: Any
    payment_status: Any
    payment_date: Any
    payment_amount: Any
    payment_method: Any
    transaction_id: Any
    transaction_type: Any
    is_fulfilled: Any
    _fields: str | Sequence[str]

class EntriesErased(TypedDict):
    """How many entries were erased."""

    erased: int

class EraseEntries(TypedDict, total=False):
    """What `erase_entries` takes."""

    email: Required[str]
    _fields: str | Sequence[str]

class GetEntry(TypedDict, total=False):
    """What `get_entry` takes."""

    _field_ids: str
    _labels: bool
    _fields: str | Sequence[str]

class UpdateEntry(TypedDict, total=False):
    """What `update_entry` takes."""

    status: Literal["active", "spam", "trash"] | None
    is_read: bool | None
    is_starred: bool | None
    created_by: int | None
    date_created: str | None
    date_updated: str | None
    ip: str | None
    source_url: str | None
    user_agent: str | None
    post_id: Any
    currency: Any
    payment_status: Any
    payment_date: Any
    payment_amount: Any
    payment_method: Any
    transaction_id: Any
    transaction_type: Any
    is_fulfilled: Any
    form_id: int | None
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class EntryDeleted(TypedDict):
    """An entry that was deleted for good."""

    deleted: Literal[True]
    previous: dict[str, Any]

class DeleteEntry(TypedDict, total=False):
    """What `delete_entry` takes."""

    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class UpdateEntryProperties(TypedDict, total=False):
    """What `update_entry_properties` takes."""

    status: Literal["active", "spam", "trash"] | None
    is_read: bool | None
    is_starred: bool | None
    created_by: int | None
    date_created: str | None
    date_updated: str | None
    ip: str | None
    source_url: str | None
    user_agent: str | None
    post_id: Any
    currency: Any
    payment_status: Any
    payment_date: Any
    payment_amount: Any
    payment_method: Any
    transaction_id: Any
    transaction_type: Any
    is_fulfilled: Any
    _fields: str | Sequence[str]
    if_match: str | Mapping[str, Any]

class SendNotifications(TypedDict, total=False):
    """What `send_notifications` takes."""

    _notifications: str
    _event: str
    _fields: str | Sequence[str]

class ListNotes(TypedDict, total=False):
    """What `list_notes` takes."""

    _fields: str | Sequence[str]

class NoteRead(TypedDict):
    """A note on an entry."""

    id: str
    entry_id: str
    user_name: str
    date_created: str
    value: str
    note_type: str

class CreateNote(TypedDict, total=False):
    """What `create_note` takes."""

    value: Required[str]
    _fields: str | Sequence[str]

class GetNote(TypedDict, total=False):
    """What `get_note` takes."""

    _fields: str | Sequence[str]

class UpdateNote(TypedDict, total=False):
    """What `update_note` takes."""

    value: Required[str]
    _fields: str | Sequence[str]

class NoteDeleted(TypedDict):
    """A note that was deleted for good."""

    deleted: Literal[True]
    previous: NoteRead

class DeleteNote(TypedDict, total=False):
    """What `delete_note` takes."""

    _fields: str | Sequence[str]

class MailTest(TypedDict):
    """How a test mail ended."""

    state: str
    message: str

class TestFeed(TypedDict, total=False):
    """What `test_feed` takes."""

    _fields: str | Sequence[str]

class BatchResponses(TypedDict):
    """The responses to the requests of a batch."""

    failed: str
    responses: list[Any]

class Batch(TypedDict, total=False):
    """What `batch` takes."""

    validation: Literal["require-all-validate", "normal"]
    requests: Required[Sequence[Any]]
    _fields: str | Sequence[str]
