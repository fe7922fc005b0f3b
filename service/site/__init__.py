"""The site: pages for visitors, with password forms and previews."""
