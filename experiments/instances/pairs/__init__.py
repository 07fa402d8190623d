"""Neighbouring datasets and the laws on them: what privacy claims are attacked with, and worst pairs solved exactly.

Whatever comes in twos that differ in one record belongs here. Single datasets belong in `datasets`. This package may
import `classes`, `datasets` and `laws`.
"""
