"""The subcommands of `landform`."""
