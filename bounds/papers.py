"""The four papers and every numbered statement of theirs.

`IDS` is the complete list: the ledger shows each of its ids at least once, as OPEN until something decides it.
Two texts of Bassily, Mohri & Suresh (2022) circulate, the paper and its appendix; they number the algorithms
differently (DP-ERM is Algorithm 5 in the paper and 4 in the appendix, label privacy 4 and 5, and Theorem 6.1 is
Theorem E.1). We follow the paper's numbers and print the appendix's beside them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A source, as it is cited."""

    id: str
    authors: str
    title: str
    year: int


PAPERS = {
    paper.id: paper
    for paper in (
        Paper(
            "bms22", "Bassily, Mohri & Suresh", "Differentially Private Learning with Margin Guarantees", 2022
        ),
        Paper(
            "wzw25",
            "Wang, Zhu & Wang",
            "Adapting to Linear Separable Subsets with Large-Margin in Differentially Private Learning",
            2025,
        ),
        Paper(
            "rbht09",
            "Rubinstein, Bartlett, Huang & Taft",
            "Learning in a Large Function Space: Privacy-Preserving Mechanisms for SVM Learning",
            2009,
        ),
        Paper(
            "abgmu22",
            "Arora, Bassily, Guzmán, Menart & Ullah",
            "Differentially Private Generalized Linear Models Revisited",
            2022,
        ),
    )
}

IDS = {
    "bms22.clmD.2": "Claim D.2",
    "bms22.clmD.3": "Claim D.3",
    "bms22.clmD.4": "Claim D.4",
    "bms22.clmD.5": "Claim D.5",
    "bms22.corF.2": "Corollary F.2",
    "bms22.def2.1": "Definition 2.1",
    "bms22.def6.1": "Definition 6.1 (E.1)",
    "bms22.def.losses": "Section 2, losses",
    "bms22.exH": "Appendix H, example",
    "bms22.factC.1": "Fact C.1",
    "bms22.lem3.1": "Lemma 3.1",
    "bms22.lemA.1": "Lemma A.1",
    "bms22.lemA.2": "Lemma A.2",
    "bms22.lemA.3": "Lemma A.3",
    "bms22.lemA.4": "Lemma A.4",
    "bms22.lemD.1": "Lemma D.1",
    "bms22.lemF.1": "Lemma F.1",
    "bms22.lemF.3a": "Lemma F.3a",
    "bms22.lemF.3b": "Lemma F.3b",
    "bms22.lemF.3c": "Lemma F.3c",
    "bms22.lemF.3d": "Lemma F.3d",
    "bms22.lemF.3e": "Lemma F.3e",
    "bms22.lemG.1": "Lemma G.1",
    "bms22.rem3.1": "Remark 3.1",
    "bms22.rem.poly": "Section 4, polynomial kernels",
    "bms22.thm3.1": "Theorem 3.1",
    "bms22.thm3.2": "Theorem 3.2",
    "bms22.thm4.1": "Theorem 4.1",
    "bms22.thm4.2": "Theorem 4.2",
    "bms22.thm5.1": "Theorem 5.1",
    "bms22.thm6.1": "Theorem 6.1 (E.1)",
    "wzw25.M.3": "Appendix M.3",
    "wzw25.corA.6": "Corollary A.6",
    "wzw25.corD.2": "Corollary D.2",
    "wzw25.corE.2": "Corollary E.2",
    "wzw25.corG.2": "Corollary G.2",
    "wzw25.corK.2": "Corollary K.2",
    "wzw25.def2.1": "Definition 2.1",
    "wzw25.def2.2": "Definition 2.2",
    "wzw25.def6.1": "Definition 6.1",
    "wzw25.defA.1": "Definition A.1",
    "wzw25.defA.11": "Definition A.11",
    "wzw25.defN.1": "Definition N.1",
    "wzw25.eq1": "Equation 1",
    "wzw25.eq2": "Equation 2",
    "wzw25.eq3": "Equation 3",
    "wzw25.factA.3": "Fact A.3",
    "wzw25.lem5.1": "Lemma 5.1",
    "wzw25.lem6.2": "Lemma 6.2 (B.3)",
    "wzw25.lem6.3": "Lemma 6.3 (D.3)",
    "wzw25.lem6.4": "Lemma 6.4",
    "wzw25.lem6.6": "Lemma 6.6",
    "wzw25.lem7.2": "Lemma 7.2",
    "wzw25.lemA.4": "Lemma A.4",
    "wzw25.lemA.5": "Lemma A.5",
    "wzw25.lemA.7": "Lemma A.7",
    "wzw25.lemA.9": "Lemma A.9",
    "wzw25.lemA.10": "Lemma A.10",
    "wzw25.lemB.1": "Lemma B.1",
    "wzw25.lemB.2": "Lemma B.2",
    "wzw25.lemC.1": "Lemma C.1",
    "wzw25.lemC.2": "Lemma C.2",
    "wzw25.lemD.1": "Lemma D.1",
    "wzw25.lemE.1": "Lemma E.1",
    "wzw25.lemE.3": "Lemma E.3",
    "wzw25.lemF.1": "Lemma F.1",
    "wzw25.lemF.2": "Lemma F.2",
    "wzw25.lemG.1": "Lemma G.1",
    "wzw25.lemH.2": "Lemma H.2",
    "wzw25.lemH.3": "Lemma H.3",
    "wzw25.lemI.2": "Lemma I.2",
    "wzw25.lemK.1": "Lemma K.1",
    "wzw25.lemK.4": "Lemma K.4",
    "wzw25.lemK.5": "Lemma K.5",
    "wzw25.lemK.6": "Lemma K.6",
    "wzw25.lemM.1": "Lemma M.1",
    "wzw25.q8.1": "Question 8.1",
    "wzw25.rem2.3": "Remark 2.3",
    "wzw25.rem3.1": "Remark 3.1",
    "wzw25.remA.2": "Remark A.2",
    "wzw25.remA.8": "Remark A.8",
    "wzw25.sec7.text": "Section 7, text",
    "wzw25.tab1": "Table 1",
    "wzw25.tab2": "Table 2",
    "wzw25.thm4.1": "Theorem 4.1",
    "wzw25.thm6.5": "Theorem 6.5 (H.1)",
    "wzw25.thm6.7": "Theorem 6.7 (I.1)",
    "wzw25.thm7.1": "Theorem 7.1",
    "wzw25.thmK.3": "Theorem K.3",
    "wzw25.thmL.1": "Theorem L.1",
    "wzw25.thmL.2": "Theorem L.2",
    "rbht09.complexity": "Section 4, complexity",
    "rbht09.cor9": "Corollary 9",
    "rbht09.cor15": "Corollary 15",
    "rbht09.def1": "Definition 1",
    "rbht09.def2": "Definition 2",
    "rbht09.def4": "Definition 4",
    "rbht09.def5": "Definition 5",
    "rbht09.eq5_1": "Equation (5.1)",
    "rbht09.fn5": "Footnote 5",
    "rbht09.fourier": "Algorithm 3, transform",
    "rbht09.lem6": "Lemma 6",
    "rbht09.lem10": "Lemma 10",
    "rbht09.lem11": "Lemma 11",
    "rbht09.lem12": "Lemma 12",
    "rbht09.lem13": "Lemma 13",
    "rbht09.lem17": "Lemma 17",
    "rbht09.lem19": "Lemma 19",
    "rbht09.lem21": "Lemma 21",
    "rbht09.lem22": "Lemma 22",
    "rbht09.rem3": "Remark 3",
    "rbht09.tab1": "Table 1",
    "rbht09.thm7": "Theorem 7",
    "rbht09.thm8": "Theorem 8",
    "rbht09.thm14": "Theorem 14",
    "rbht09.thm16": "Theorem 16",
    "rbht09.thm18": "Theorem 18",
    "rbht09.thm20": "Theorem 20",
    "abgmu22.abs.lipschitz": "Abstract, Lipschitz rate",
    "abgmu22.abs.lower-smooth": "Abstract, lower bound",
    "abgmu22.abs.upper-smooth": "Abstract, upper bound",
    "abgmu22.asm1": "Assumption 1 (accuracy)",
    "abgmu22.asm2": "Assumption 2 (loss bound)",
    "abgmu22.base.jl": "JL-constrained DP-ERM (reconstructed)",
    "abgmu22.base.noisy-gd": "Noisy SGD (reconstructed)",
    "abgmu22.base.outpert": "Output perturbation (reconstructed)",
    "abgmu22.lem.conc": "Lemma, concentration",
    "abgmu22.lem.stab-jl": "Remark, JL stability",
    "abgmu22.lem.stab-outpert": "Lemma, output-perturbation stability",
    "abgmu22.lem.stab-sgd": "Lemma, noisy-SGD stability",
    "abgmu22.thm.boost": "Theorem, boosting",
    "abgmu22.thm.gem": "Theorem, generalized exponential mechanism",
    "abgmu22.thm.grid": "Theorem, private grid search",
    "abgmu22.thm.grid-output-pert": "Theorem, grid search with output perturbation",
}


def label(id):
    """The label the paper prints for `id`.

    >>> label("bms22.lemA.3")
    'Lemma A.3'
    """
    if id not in IDS:
        raise ValueError(f"id = {id!r} is not a statement of {', '.join(PAPERS)}")
    return IDS[id]
