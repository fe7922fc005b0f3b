"""Plans and conditional logic: which feeds of a form run for an entry."""
