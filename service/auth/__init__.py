"""Identities of callers: credentials, local mode."""
