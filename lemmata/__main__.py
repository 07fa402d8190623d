"""`python -m lemmata` is the program `lemmata`."""

from lemmata.command.main import main

if __name__ == "__main__":
    main()
