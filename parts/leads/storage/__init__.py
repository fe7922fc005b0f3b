"""Forms and entries in the database."""
