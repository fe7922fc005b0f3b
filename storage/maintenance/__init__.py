"""Maintenance of a whole store: verify, rebuild, copy, export and import."""
