"""Mistakes made on purpose in the project's own code, and what must notice them.

`planted` is the table of mistakes of the field, each with the check that must find it; `mutants` and `operators` make
one-line mistakes at random. `planting` has the changes and checks that several rows share. The runner of the package,
`experiments/conformance/runner.py`, tries them; nothing else imports this folder.
"""
