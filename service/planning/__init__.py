"""Which feeds of a form run for an entry: a matter of rows and values, without HTTP or SQL."""
