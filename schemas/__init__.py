"""Marshmallow schemas: the shapes of requests and answers. Know neither request nor database."""
