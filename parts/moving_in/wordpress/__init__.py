"""Reading a live WordPress with Gravity Forms, or files that it exported, to move in from there."""
