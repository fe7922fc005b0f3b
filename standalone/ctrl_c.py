"""A Ctrl-C during the start, whose steps are processes that replace, or run, each other.

Python turns it into an exception, which would show as a traceback. So it is held back from one step
to the next, and ends the next one without a word. gunicorn's master has a handler in the end.
"""

import signal


def hold_back() -> None:
    """Let a Ctrl-C wait for the program that replaces this one, or that it runs."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def end_quietly() -> None:
    """Let a Ctrl-C end this process without a traceback, also one that was held back."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
