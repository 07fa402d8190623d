"""Learners side by side on real records: risk against epsilon."""
