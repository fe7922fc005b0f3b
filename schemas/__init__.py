"""Marshmallow schemas: the shapes of requests and responses, without Flask or a database."""
