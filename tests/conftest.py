"""The invented paper is imported by its test alone."""

collect_ignore = ["fifth_paper"]
