"""Requests to URLs of others, which are not trusted."""
