"""What the operations of every resource need of HTTP."""
