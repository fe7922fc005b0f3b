"""Further resources that clients of WordPress and Gravity Forms read."""
