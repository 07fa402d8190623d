"""The program `lemmata`."""
