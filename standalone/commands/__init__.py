"""The commands of `landform`: every click command of a module is one, by its own name.

A module whose name begins with an underscore holds what several of them need.
"""
