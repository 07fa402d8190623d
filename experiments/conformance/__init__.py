"""Whether a paper's rows mean what they say: tables of what was accepted, ties, numbers, and findings in sentences.

The tests of this package, the pytest plug-in in anybody's folder, `lemmata check` and `lemmata accept` all come here.
"""
