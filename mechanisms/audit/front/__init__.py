"""What users call: `lemmata.audit`, `replay`, `audit_one_run` and `assert_private`.

Arguments are read and checked here, and the audit is started. Its parts belong in the other packages of the auditor.
This package may import all of them, and `numerics` and `privacy`.
"""
