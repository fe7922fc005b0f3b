"""The errors of webhooks."""

from landform.storage.errors import PartError


class WebhookNotFound(PartError):
    """There is no such webhook."""

    code, status = "rest_webhook_invalid_id", 404


class TooManyWebhooks(PartError):
    """There are 100 webhooks already: delete one first."""

    code, status = "rest_webhook_limit", 409


class TooManyTests(PartError):
    """Other tests of webhooks are under way: try again soon."""

    code, status = "rest_too_many_tests", 429
