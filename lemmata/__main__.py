"""The program `lemmata`, also `python -m lemmata`. An interrupt before it starts or after it ends prints no traceback.

In between, `console.install_signal_handlers` handles signals. Imports happen inside the function below, because they
take seconds in which a user may notice a mistyped command and interrupt it.
"""

import signal

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def program() -> None:
    """Run the command line, and end the process."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as in a script's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from lemmata.command.main import main

    try:
        main()
    finally:
        for number in SIGNALS:  # all is said and done: Python would interrupt its own clearing up, in a traceback
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    program()
