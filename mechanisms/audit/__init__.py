"""The auditor: a mechanism and a claim in, a verdict out. It knows nothing of any paper."""
