"""Rubinstein, Bartlett, Huang & Taft (2009): the contents page."""

AUTHORS = "Rubinstein, Bartlett, Huang & Taft"
TITLE = "Learning in a Large Function Space: Privacy-Preserving Mechanisms for SVM Learning"
YEAR = 2009

# id, the label the paper prints, the module that holds it (its proof's steps stand there or in `<module>_proof`);
# a statement without a module is open.
CONTENTS = (
    ("rbht09.def1", "Definition 1", "private_svm"),
    ("rbht09.def2", "Definition 2", "svm_accuracy"),
    ("rbht09.rem3", "Remark 3", "kernel_svm"),
    ("rbht09.def4", "Definition 4", "lower_bounds"),
    ("rbht09.tab1", "Table 1", "kernel_spectra"),
    ("rbht09.def5", "Definition 5", "kernel_svm"),
    ("rbht09.lem6", "Lemma 6", "svm_sensitivity"),
    ("rbht09.thm7", "Theorem 7", "private_svm"),
    ("rbht09.thm8", "Theorem 8", "svm_accuracy"),
    ("rbht09.fn5", "Footnote 5", "svm_accuracy"),
    ("rbht09.fourier", "Algorithm 3, transform", "kernel_spectra"),
    ("rbht09.cor9", "Corollary 9", "kernel_svm"),
    ("rbht09.lem10", "Lemma 10", "kernel_accuracy"),
    ("rbht09.lem11", "Lemma 11", "kernel_accuracy"),
    ("rbht09.lem12", "Lemma 12", "kernel_accuracy"),
    ("rbht09.lem13", "Lemma 13", "random_features"),
    ("rbht09.thm14", "Theorem 14", "kernel_accuracy"),
    ("rbht09.complexity", "Section 4, complexity", "kernel_svm"),
    ("rbht09.eq5_1", "Equation (5.1)", "hinge_dual"),
    ("rbht09.cor15", "Corollary 15", "hinge_dual"),
    ("rbht09.thm16", "Theorem 16", "hinge_dual"),
    ("rbht09.lem17", "Lemma 17", "lower_bounds"),
    ("rbht09.thm18", "Theorem 18", "lower_bounds"),
    ("rbht09.lem19", "Lemma 19", "lower_bounds_rbf"),
    ("rbht09.thm20", "Theorem 20", "lower_bounds_rbf"),
    ("rbht09.lem21", "Lemma 21", "svm_sensitivity"),
    ("rbht09.lem22", "Lemma 22", "kernel_accuracy"),
)
