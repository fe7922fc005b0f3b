"""Rendering and cleaning of the texts of pages."""
