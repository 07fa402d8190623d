"""The record of a theorem: hypotheses, readings, verdict words, formulas for people, and the digest of its code.

Whatever describes a statement without deciding it belongs here. Deciding belongs in `lemmata.experiments`. This
package may import `catalogue` and `exact`.
"""
