"""HTTP for the operations: requests, responses, headers and caching."""
