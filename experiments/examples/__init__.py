"""Five short scripts: what a user does first. The tests run them; each prints what it found."""

GALLERY = ("check_a_lemma", "audit_your_mechanism", "choose_k", "digits", "add_a_paper")
