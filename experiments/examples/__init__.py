"""Five short scripts for a new user. The tests run them, and each prints its results."""

GALLERY = ("check_a_lemma", "audit_your_mechanism", "choose_k", "digits", "add_a_paper")
