"""What the papers build: a dataset goes in, a probability law over releases comes out.

This package holds the algorithms of the four papers, the noise and the accounts that they share, scikit-learn
estimators and the auditor. Statements of theorems belong in `lemmata.bounds`, decisions about them in
`lemmata.experiments`. It imports `lemmata.bounds` and none of the laboratory's libraries (pandas, matplotlib, joblib
and the like).
"""
