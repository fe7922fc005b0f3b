"""The site: pages as visitors see them, at their links, with password forms and previews."""
