"""The errors of webhooks."""

from landform.parts.errors import part_error

WebhookNotFound = part_error("rest_webhook_invalid_id", 404, "There is no such webhook.")
TooManyWebhooks = part_error(
    "rest_webhook_limit", 409, "There are 100 webhooks already: delete one first."
)
TooManyTests = part_error(
    "rest_too_many_tests", 429, "Other tests of webhooks are under way: try again soon."
)
