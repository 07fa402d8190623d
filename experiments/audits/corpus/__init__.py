"""Published mistakes as pairs: a mechanism in a few lines as it was reported, and the same mended.

A pair is one function whose parameter `mended` mends it, with its source, kind, claim and first dataset; `table` audits
all pairs and counts what was found. Libraries of others as they were released belong to `tools/wild`, and mechanisms
with exactly known laws to `known_mechanisms`. Modules of this package import the auditor, guarantees and the engine.
"""
