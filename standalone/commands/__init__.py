"""The commands of the standalone service alone; `service/commands` has the others."""
