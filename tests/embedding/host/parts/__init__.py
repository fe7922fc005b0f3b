"""The parts of the shop: it has none yet."""
