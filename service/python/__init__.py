"""landform from Python: the operations of the HTTP API as methods, for a host's own code."""
