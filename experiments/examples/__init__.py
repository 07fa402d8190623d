"""Five short scripts that show what a user does first; the tests run them, and each prints what it found.

A script here has one purpose and less than a hundred lines; what it prints is kept beside it for the documentation.
Scripts import what a user would; only `__main__`, which keeps their output, imports figures.
"""

GALLERY = ("check_a_lemma", "audit_your_mechanism", "choose_k", "digits", "add_a_paper")
