"""The auditor: a mechanism and a claim in, a verdict out. It depends on no paper."""
