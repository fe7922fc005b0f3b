"""The commands of `landform`: each module of this package adds its own to the group.

A module whose name begins with an underscore holds what several of them need.
"""
