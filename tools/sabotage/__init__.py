"""Mistakes planted in our own code, and what must notice them (STATISTICS section 9)."""
