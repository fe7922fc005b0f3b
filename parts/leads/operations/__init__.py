"""The operations of leads."""

from landform.parts.leads.operations import entries, feeds, forms, notes, submissions

RESOURCES = (
    forms.RESOURCE,
    submissions.RESOURCE,
    entries.RESOURCE,
    notes.RESOURCE,
    feeds.RESOURCE,
)
SCREENS = (submissions.SCREEN,)
