"""The operations of leads."""

from landform.parts.leads.operations import entries, feeds, forms, submissions

RESOURCES = (forms.RESOURCE, submissions.RESOURCE, entries.RESOURCE, feeds.RESOURCE)
