"""How papers are found and cited: the import path that authors of papers use.

Papers are read in `lemmata.bounds.catalogue`; this module only gathers its public names.
"""

from lemmata.bounds.catalogue.library import FOLDERS, HOUSE, Library, Paper, PaperError, Work, cited, library, nearest

__all__ = ["FOLDERS", "HOUSE", "Library", "Paper", "PaperError", "Work", "cited", "library", "nearest"]
