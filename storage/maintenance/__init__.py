"""Maintenance of a whole store: verify, repair, copy, export and import."""
