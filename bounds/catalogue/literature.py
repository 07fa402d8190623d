"""What else is known of a statement: who proved more, the same or the opposite, by id of the statement.

`relation` is seen from the statement: the reference is tighter, corrects it, bounds it from below, makes different
assumptions, is where it comes from (inherited), or is context. `checked` says what was read of it: the text, the
abstract, or only what the paper that cites it says (citation).
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """One reference beside a statement."""

    reference: str
    relation: str  # tighter | matches | lower bound | different assumptions | corrects | inherited | context
    says: str
    checked: str  # text | abstract | citation


RELATIONS = ("tighter", "matches", "lower bound", "different assumptions", "corrects", "inherited", "context")

RAHIMI_RECHT = "Rahimi & Recht, Random Features for Large-Scale Kernel Machines, NeurIPS 20 (2008)"
LAST_ITERATE = (
    Entry(
        "Liu & Zhou, Revisiting the Last-Iterate Convergence of Stochastic Gradient Methods, ICLR 2024, "
        "arXiv:2312.08531",
        "inherited",
        "The paper takes the lemma from Theorem 3.5 there. They prove last-iterate rates in expectation and in high "
        "probability by one argument, without compact domains or bounded noise.",
        "abstract",
    ),
    Entry(
        "Beretta, Cesari, Colomboni & Paudice, New Bounds for the Last Iterate of the Stochastic subGradient Method, "
        "arXiv:2606.24879v1 (2026)",
        "different assumptions",
        "In dimension one, with a fixed step of order 1/√n and additive i.i.d. noise of bounded variance, the last "
        "iterate is off by order 1/√n, without the factor log n; without i.i.d. noise the error can be (log n)/√n, "
        "which answers Koren & Segal (COLT 2020).",
        "abstract",
    ),
    Entry(
        "Kornowski & Shamir, Gradient Descent's Last Iterate is Often (slightly) Suboptimal, arXiv:2604.13870v1 (2026)",
        "context",
        "No step sequence that does not know the number of steps T gives the last iterate the optimal 1/√T at every T, "
        "even without noise; Jain et al. (2019) reach it with T known in advance.",
        "abstract",
    ),
)
REPETITION = (
    Entry(
        "Talwar, Privacy-Computation Trade-Offs in Private Repetition and Metaselection, FORC 2025, arXiv:2410.19012",
        "lower bound",
        "Whoever keeps the privacy cost up to a constant factor sees the failure probability fall only polynomially in "
        "the computational overhead; without privacy it falls exponentially.",
        "abstract",
    ),
)
TUNING = (
    Entry(
        "Koskela, Redberg & Wang, Privacy Profiles for Private Selection, ICML 2024, arXiv:2402.06701",
        "tighter",
        "Bounds the privacy profile of private tuning, δ as a function of ε, by that of the base algorithm; "
        "numerically "
        "better than Rényi accounting in all regimes they look at.",
        "abstract",
    ),
    Entry(
        "Xiang et al., Revisiting Differentially Private Hyper-parameter Tuning, NDSS 2026, arXiv:2402.13087",
        "tighter",
        "The generic analysis of private selection is tight in general and not for hyper-parameter tuning seen "
        "white-box, "
        "for which better privacy results are proved.",
        "abstract",
    ),
)
SELECTION = (
    Entry(
        "Leeman & Manurangsi, Nearly-Optimal Private Selection via Gaussian Mechanism, arXiv:2511.06871v1 (2025)",
        "tighter",
        "Adaptive Gaussian queries of low sensitivity select among |Y| candidates with error Õ(log |Y|), within "
        "a power "
        "of log log |Y| of the exponential mechanism; Steinke (2025) had O(log^{3/2} |Y|).",
        "abstract",
    ),
)
MARGIN_DEVIATION = (
    Entry(
        "Larsen & Schalburg, Tight Generalization Bounds for Large-Margin Halfspaces, arXiv:2502.13692 (2025)",
        "tighter",
        "The first bound, without privacy, that is asymptotically tight in margin, share of points with that margin, "
        "failure probability and number of points together.",
        "abstract",
    ),
)
KERNEL_LEARNING = (
    Entry(
        "Lee, Park & Ahn, Optimal differentially private kernel learning with random projection, arXiv:2507.17544",
        "tighter",
        "Gaussian random projection in the kernel's space reaches the minimax excess risk for squared and for "
        "Lipschitz "
        "smooth convex losses under local strong convexity; random Fourier features and ℓ₂ regularisation are "
        "suboptimal.",
        "abstract",
    ),
)
RANDOM_FEATURES = (
    Entry(
        "Sutherland & Schneider, On the Error of Random Fourier Features, arXiv:1506.02785 (2015)",
        "tighter",
        "Improves the uniform error bound of Rahimi & Recht; of the two main variants the more widely used one has the "
        "larger variance for the Gaussian kernel, and worse bounds.",
        "abstract",
    ),
    Entry(
        "Sriperumbudur & Szabó, Optimal Rates for Random Fourier Features, NeurIPS 2015",
        "tighter",
        "Uniform guarantees that are optimal in the number of features and in the growth of the compact set.",
        "abstract",
    ),
)
PROJECTIONS = (
    Entry(
        "Burr, Gao & Knoll, Optimal Bounds for Johnson–Lindenstrauss Transformations, JMLR 19 (2018)",
        "tighter",
        "A precise asymptotic threshold for the dimension of the image, above which a projection that keeps distances "
        "exists and below which none does.",
        "abstract",
    ),
    Entry(
        "Li, a unified analysis of the Johnson–Lindenstrauss lemma, arXiv:2402.10232",
        "tighter",
        "One argument for spherical, sign, sparse and sub-Gaussian projections, by a Hanson–Wright inequality in high "
        "dimensions with explicit constants.",
        "abstract",
    ),
)
OBJECTIVE_PERTURBATION = (
    Entry(
        "Redberg, Koskela & Wang, Improving the Privacy and Practicality of Objective Perturbation for Differentially "
        "Private Linear Learners, NeurIPS 2023, arXiv:2401.00583",
        "different assumptions",
        "Objective perturbation with tighter privacy analyses competes with noisy gradient descent on unconstrained "
        "convex generalised linear problems: the baseline to beat.",
        "abstract",
    ),
)
MARGIN_LEARNING = (
    Entry(
        "Nguyễn, Ullman & Zakynthinou, Efficient Private Algorithms for Learning Large-Margin Halfspaces, ALT 2020, "
        "arXiv:1902.09009",
        "lower bound",
        "Private learners whose sample complexity depends on the margin alone, and a lower bound which shows "
        "that their "
        "dependence on the margin is optimal.",
        "abstract",
    ),
)
AGNOSTIC = (
    Entry(
        "Li, Wang & Ye, Private Realizable-to-Agnostic Transformation with Near-Optimal Sample Complexity, COLT 2025, "
        "arXiv:2510.01291",
        "context",
        "A private learner for realizable data becomes an agnostic one for Õ(VC/α²) further examples at every ε ≤ 1, "
        "without a factor 1/ε: privacy costs in the realizable part only.",
        "abstract",
    ),
)

LITERATURE: dict[str, tuple[Entry, ...]] = {
    "bms22.thm3.1": MARGIN_DEVIATION,
    "bms22.lem3.1": OBJECTIVE_PERTURBATION,
    "bms22.thm4.1": RANDOM_FEATURES,
    "bms22.thm4.2": KERNEL_LEARNING,
    "bms22.thm6.1": AGNOSTIC,
    "bms22.lemA.1": (
        Entry(
            "Cortes, Greenberg & Mohri, Relative deviation learning bounds and generalization with unbounded loss "
            "functions, Annals of Mathematics and Artificial Intelligence 85 (2019), Corollary 7",
            "inherited",
            "The paper combines it with a bound by the VC dimension.",
            "citation",
        ),
    ),
    "bms22.lemA.2": (
        Entry(
            "Cortes, Mohri & Suresh, Relative Deviation Margin Bounds, ICML 2021",
            "inherited",
            "The paper takes the lemma from there.",
            "citation",
        ),
        *MARGIN_DEVIATION,
    ),
    "bms22.lemA.3": PROJECTIONS,
    "rbht09.tab1": (
        Entry(
            "On the Relative Error of Random Fourier Features for Preserving Kernel Distance, ICLR 2023, "
            "arXiv:2210.00244",
            "different assumptions",
            "For Laplacian kernels random Fourier features need many dimensions for a small relative error of kernel "
            "distances; for analytic kernels poly(ε⁻¹ log n) are enough for n points.",
            "abstract",
        ),
        Entry(RAHIMI_RECHT, "inherited", "The table goes back to Figure 1 there.", "citation"),
    ),
    "rbht09.lem13": (
        Entry(RAHIMI_RECHT, "inherited", "The paper restates Claim 1 there.", "citation"),
        *RANDOM_FEATURES,
    ),
    "rbht09.thm14": KERNEL_LEARNING,
    "rbht09.cor15": KERNEL_LEARNING,
    "rbht09.thm16": KERNEL_LEARNING,
    "wzw25.tab1": MARGIN_LEARNING,
    "wzw25.tab2": MARGIN_LEARNING,
    "wzw25.lem5.1": PROJECTIONS,
    "wzw25.lem6.6": MARGIN_DEVIATION,
    "wzw25.thm7.1": TUNING,
    "wzw25.lem7.2": REPETITION,
    "wzw25.q8.1": AGNOSTIC,
    "wzw25.lemB.1": PROJECTIONS,
    "wzw25.lemC.1": (
        Entry(
            "Bok, Su & Altschuler, Shifted Interpolation for Differential Privacy, ICML 2024, arXiv:2403.00278v2",
            "different assumptions",
            "Only the last iterate is released: tighter f-DP bounds for noisy gradient descent on convex "
            "losses, and the "
            "first exact privacy analysis for strongly convex ones.",
            "abstract",
        ),
    ),
    "wzw25.lemC.2": LAST_ITERATE,
    "wzw25.lemF.1": SELECTION,
    "wzw25.lemF.2": SELECTION,
    "wzw25.lemK.1": TUNING,
    "wzw25.corK.2": TUNING,
    "wzw25.thmK.3": TUNING,
    "wzw25.lemM.1": REPETITION,
    "wzw25.M.3": REPETITION,
}


def literature(id: str) -> tuple[Entry, ...]:
    """The references beside a numbered statement; steps of its proof have none of their own.

    >>> [entry.relation for entry in literature("wzw25.lemC.2")]
    ['inherited', 'different assumptions', 'context']
    """
    return LITERATURE.get(id, ())
