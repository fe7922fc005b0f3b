"""The pipeline: the steps of every call, from its declaration to the encoded reply."""
