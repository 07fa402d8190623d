"""Exact numbers: ball arithmetic, certificates, and the laws that several papers need."""
