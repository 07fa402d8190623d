"""Mistakes planted in our own code, and what must notice them (docs/how-a-claim-is-decided.md, "Planted mistakes")."""
