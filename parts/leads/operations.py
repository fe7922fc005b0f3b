"""The operations of leads."""

from landform.parts.leads import entries, forms, submission_operations

RESOURCES = (forms.RESOURCE, submission_operations.RESOURCE, entries.RESOURCE)
