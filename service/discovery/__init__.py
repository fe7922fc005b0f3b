"""Resources that clients of WordPress and Gravity Forms read beside pages and feeds."""
