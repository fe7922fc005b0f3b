"""Pages: their operations, who may see them, and how they are dumped."""
