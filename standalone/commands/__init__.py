"""The commands of `landform`: a module each, named as the command, or shared (`SHARED` in `cli`).

Every click command of a module is one of `landform`, by its own name. A module whose name begins
with an underscore holds what several of them need.
"""
