"""What the engine stands on: files and folders, profiles, deadlines, progress bars, and grades of evidence.

Helpers that know of no claim belong here. Nothing here starts a run or reads a store. This package imports
`lemmata.bounds` only.
"""
