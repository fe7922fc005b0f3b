"""The pipeline: what every call passes, from its declaration to the encoded reply."""
