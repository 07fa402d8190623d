"""The learners in scikit-learn's shape: classes with `fit`, `predict` and `privacy_`, search and scaling.

An estimator reads a table, pays for one release and keeps a frozen predictor. Mathematics belongs in `learners`. This
package may import everything in `lemmata.mechanisms` but the auditor.
"""
