"""Descriptions of the fields of plans, orders and runs; see `descriptions.py`."""

FEED = {
    "id": "The number of the feed.",
    "version": "The version of the feed: a number that every write of it increments.",
    "form_id": "The form that the feed belongs to; 0 for all forms.",
    "addon_slug": "The add-on of the integration.",
    "event_type": "The event that the feed is for, or null.",
}
GROUP = "`addon`: the response has `groups` of feeds by their add-on."
PARTIAL = "Whether feeds of the form may be missing in the list; these follow after the others."
ENTRY_ID = "The caller's id of the entry; a whole number is the same as its text."

FEEDS_AT_WORK: dict[str, dict[str, str]] = {
    "PlanParameters": {"group": GROUP},
    "PlanRequest": {
        "entry": "The submission: the values of fields and inputs by their ids.",
        "properties": "Properties of the entry that rules may name, such as `payment_status`.",
        "addon": "Only the feeds of this add-on.",
        "event_type": "Only the feeds with exactly this event type; null for those without one.",
        "form_0": "Whether the feeds of form 0 run too.",
        "first_only": "Add-ons of which one feed runs at most.",
        "entry_id": f"{ENTRY_ID} With it, what was run for the entry is left out.",
        "explain": "Whether the feeds that do not run are returned too, with the reason.",
        "group": GROUP,
    },
    "FeedVersion": FEED,
    "PlannedFeed": {
        "meta": "The settings; which there are depends on the add-on.",
        "run_key": "A text that is the same for the same feed and entry; null without `entry_id`.",
    },
    "ComparedRule": {
        "fieldId": "The id of a field or input, or the name of a property.",
        "operator": "The operator.",
        "value": "The value of the rule, as it was compared.",
        "values": "The values of the entry, as they were compared.",
        "matches": "Whether the rule matches.",
    },
    "SkippedFeed": {
        "reason": "Why the feed does not run.",
        "problem": "Why its conditional logic cannot be understood.",
        "rules": "The rules of a condition that is not met.",
    },
    "FeedProblem": {
        "id": "The number of the feed.",
        "problem": "Why its conditional logic cannot be understood.",
    },
    "AddonFeeds": {
        "addon_slug": "The add-on.",
        "feeds": "Its feeds that run, in their order.",
    },
    "FeedPlan": {
        "form_id": "The form.",
        "entry_id": "The id of the entry, if one was sent.",
        "feeds": "The feeds that run, in their order.",
        "groups": "The feeds that run by their add-on, instead of `feeds`.",
        "problems": "Feeds that do not run since their conditional logic cannot be understood.",
        "skipped": "The feeds that do not run, if that was to be explained.",
    },
    "FeedCopy": {"form_id": "The form of the copy; that of the feed by default."},
    "OrderParameters": {"partial": PARTIAL},
    "FeedOrder": {"feeds": "The ids of the form's feeds, in their new order.", "partial": PARTIAL},
    "RunClaim": {
        "entry_id": ENTRY_ID,
        "lease": "For how many seconds nobody else can claim the run; 300 by default.",
    },
    "RunEnd": {
        "state": "How the run ended.",
        "code": "A code of the caller's, such as `timeout`.",
        "message": "What happened, in words; no values of fields.",
        "retryable": "Whether a failed run may be claimed again.",
        "retry_at": "From when on it may be claimed again; at once by default.",
        "attempt": "The attempt of the claim that ends: if somebody else has claimed the run "
        "since, nothing changes.",
    },
    "RunPage": {
        "page": "Which page of results is returned, from 1.",
        "per_page": "How many runs a page of results has.",
        "form_id": "Only runs of feeds of these forms.",
        "feed_id": "Only runs of these feeds.",
    },
    "RunList": {
        "entry_id": "Only runs for this entry.",
        "state": "Only runs in these states.",
        "after": "Only runs first claimed after this time.",
        "before": "Only runs first claimed before this time.",
        "modified_after": "Only runs last written after this time.",
        "modified_before": "Only runs last written before this time.",
        "order": "Whether the oldest (`asc`) or the newest come first.",
    },
    "RunDue": {"addon": "Only runs of feeds of this add-on."},
    "Run": {
        "id": "The number of the run.",
        "feed_id": "The number of the feed.",
        "form_id": "The form of the feed when the run was last claimed.",
        "entry_id": "The caller's id of the entry.",
        "state": "`claimed`, `pending` (to be run once more), or how the run ended.",
        "attempt": "How often the run was claimed.",
        "until": "The end of the lease of a claimed run; null for others.",
        "retry_at": "From when on the run may be claimed again; null if it may not.",
        "code": "The code that was reported.",
        "message": "The message that was reported.",
        "retryable": "Whether it failed in a way that may pass.",
        "created": "When the run was first claimed.",
        "modified": "When the run was last written.",
        "run_key": "A text that is the same for the same feed and entry, as in a plan.",
    },
}
