"""What clients of WordPress and Gravity Forms ask for beside pages and feeds. Nothing of it writes.

All of it is below `/wp-json`, but for the page at the root. The answers hold what is true here, in
the shapes of the peers.
"""
