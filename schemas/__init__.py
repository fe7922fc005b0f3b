"""Marshmallow schemas of requests and responses."""
