"""Arora, Bassily, Guzmán, Menart & Ullah (2022): the contents page."""

AUTHORS = "Arora, Bassily, Guzmán, Menart & Ullah"
TITLE = "Differentially Private Generalized Linear Models Revisited"
YEAR = 2022

# id, the label the paper prints, the module that holds it (its proof's steps stand there or in `<module>_proof`);
# a statement without a module is open.
CONTENTS = (
    ("abgmu22.abs.upper-smooth", "Abstract, upper bound", ""),
    ("abgmu22.abs.lower-smooth", "Abstract, lower bound", ""),
    ("abgmu22.abs.lipschitz", "Abstract, Lipschitz rate", ""),
    ("abgmu22.asm1", "Assumption 1 (accuracy)", "assumptions"),
    ("abgmu22.asm2", "Assumption 2 (loss bound)", "assumptions"),
    ("abgmu22.thm.grid", "Theorem, private grid search", "grid_search"),
    ("abgmu22.thm.grid-output-pert", "Theorem, grid search with output perturbation", "grid_search"),
    ("abgmu22.thm.gem", "Theorem, generalized exponential mechanism", "generalized_exponential"),
    ("abgmu22.lem.stab-sgd", "Lemma, noisy-SGD stability", "stability"),
    ("abgmu22.lem.stab-jl", "Remark, JL stability", "stability"),
    ("abgmu22.lem.stab-outpert", "Lemma, output-perturbation stability", "stability"),
    ("abgmu22.thm.boost", "Theorem, boosting", ""),
    ("abgmu22.lem.conc", "Lemma, concentration", ""),
    ("abgmu22.base.noisy-gd", "Noisy SGD (reconstructed)", "baselines"),
    ("abgmu22.base.jl", "JL-constrained DP-ERM (reconstructed)", "baselines"),
    ("abgmu22.base.outpert", "Output perturbation (reconstructed)", "baselines"),
)
