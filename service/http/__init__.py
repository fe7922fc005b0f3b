"""HTTP for the operations of every resource: requests, contracts, conditions, caching."""
