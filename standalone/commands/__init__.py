"""The commands of `landform`: one module each, named as the command is, with its `command`.

A module whose name begins with an underscore holds what several of them need, and one of a name
that Python keeps for itself ends with an underscore.
"""
