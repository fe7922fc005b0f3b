"""What every resource needs to query its table."""
