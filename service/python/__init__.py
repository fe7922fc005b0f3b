"""The Python API: the operations of the HTTP API as methods."""
