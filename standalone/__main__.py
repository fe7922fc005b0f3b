"""The entry of the command `landform`, of which a Ctrl-C meets the import as well."""

import signal


def main() -> None:
    """Import the command, which takes most of a short one's time, and run it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from landform.standalone.cli import main as run  # noqa: PLC0415

    # From here on an interrupted command tidies up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run(prog_name="landform")


if __name__ == "__main__":
    main()
