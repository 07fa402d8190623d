"""Bassily, Mohri & Suresh (2022): the contents page.

Two texts circulate, the paper and its appendix; they number the algorithms differently (DP-ERM is Algorithm 5 in the
paper and 4 in the appendix, label privacy 4 and 5, and Theorem 6.1 is Theorem E.1). We follow the paper's numbers and
print the appendix's beside them.
"""

AUTHORS = "Bassily, Mohri & Suresh"
TITLE = "Differentially Private Learning with Margin Guarantees"
YEAR = 2022

# id, the label the paper prints, the module that holds it (its proof's steps stand there or in `<module>_proof`);
# a statement without a module is open.
CONTENTS = (
    ("bms22.def2.1", "Definition 2.1", "definitions"),
    ("bms22.def.losses", "Section 2, losses", "definitions"),
    ("bms22.thm3.1", "Theorem 3.1", "pure_learner"),
    ("bms22.rem3.1", "Remark 3.1", "pure_learner"),
    ("bms22.lem3.1", "Lemma 3.1", "dp_erm"),
    ("bms22.thm3.2", "Theorem 3.2", "efficient_learner"),
    ("bms22.thm4.1", "Theorem 4.1", "random_features"),
    ("bms22.thm4.2", "Theorem 4.2", "kernel_learner"),
    ("bms22.rem.poly", "Section 4, polynomial kernels", "polynomial_kernels"),
    ("bms22.thm5.1", "Theorem 5.1", "network"),
    ("bms22.def6.1", "Definition 6.1 (E.1)", "definitions"),
    ("bms22.thm6.1", "Theorem 6.1 (E.1)", "label_privacy"),
    ("bms22.lemA.1", "Lemma A.1", "relative_deviation"),
    ("bms22.lemA.2", "Lemma A.2", "margin_deviation"),
    ("bms22.lemA.3", "Lemma A.3", "sign_projection"),
    ("bms22.lemA.4", "Lemma A.4", "fast_projection"),
    ("bms22.factC.1", "Fact C.1", "kernel_learner"),
    ("bms22.lemD.1", "Lemma D.1", "matrix_projection"),
    ("bms22.clmD.2", "Claim D.2", "network_embedding"),
    ("bms22.clmD.3", "Claim D.3", "network_embedding"),
    ("bms22.clmD.4", "Claim D.4", "network_selection"),
    ("bms22.clmD.5", "Claim D.5", "network_selection"),
    ("bms22.lemF.1", "Lemma F.1", "margin_selection"),
    ("bms22.corF.2", "Corollary F.2", "margin_selection"),
    ("bms22.lemF.3a", "Lemma F.3a", "bound_sensitivity"),
    ("bms22.lemF.3b", "Lemma F.3b", "bound_sensitivity"),
    ("bms22.lemF.3c", "Lemma F.3c", "bound_sensitivity"),
    ("bms22.lemF.3d", "Lemma F.3d", "bound_sensitivity"),
    ("bms22.lemF.3e", "Lemma F.3e", "bound_sensitivity"),
    ("bms22.lemG.1", "Lemma G.1", "many_hypotheses"),
    ("bms22.exH", "Appendix H, example", "long_minimiser"),
)
