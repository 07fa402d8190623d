"""What statements are tried on: families of laws, datasets, hypothesis classes and neighbouring pairs.

An instance that two claims share belongs here; one that a single claim needs stays next to that claim. These packages
may import `checks`, the engine, bounds and mechanisms.
"""
