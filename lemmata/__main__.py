"""The program `lemmata`, also as `python -m lemmata`: silent when it is interrupted before it begins or after its end.

Between the two `console.install_signal_handlers` says what a signal does. What a command needs is imported after the
first line here, as that takes the seconds in which somebody notices a mistake in what was typed.
"""

import signal

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def program() -> None:
    """Run the command that was typed, and end the process."""
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
