"""The entry of the command `landform`, of which a Ctrl-C meets the import as well."""

import signal

from landform.standalone.ctrl_c import end_quietly


def main() -> None:
    """Import the command, which takes most of a short one's time, and run it."""
    end_quietly()
    from landform.standalone.cli import main as run  # noqa: PLC0415

    # From here on an interrupted command tidies up.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run(prog_name="landform")


if __name__ == "__main__":
    main()
