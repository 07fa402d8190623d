"""The invented patients of the tutorial: `python docs/tutorial/patients.py` writes patients.csv beside this file."""

from pathlib import Path

import numpy as np
import pandas as pd

FILE = Path(__file__).with_name("patients.csv")


def patients(n: int = 4000, seed: int = 20261125) -> pd.DataFrame:
    """n records of nobody: numbers on very different scales, one with a heavy tail, gaps, and two columns of text."""
    rng = np.random.default_rng(seed)
    age = rng.normal(62, 14, n).clip(18, 99).round()
    stay = rng.lognormal(1.2, 0.8, n).round(1)
    income = (20_000 * (1 + rng.pareto(1.5, n))).round()
    creatinine = rng.lognormal(-0.1, 0.35, n).round(2)
    ward = rng.choice(["cardiology", "general", "oncology", "surgery"], n, p=[0.25, 0.4, 0.15, 0.2])
    smoker = rng.choice(["no", "yes"], n, p=[0.75, 0.25])
    score = (age - 62) / 14 + np.log(stay / 3.3) / 0.8 + 2.5 * np.log(creatinine / 0.9) + 1.2 * (smoker == "yes")
    score += 0.9 * (ward == "cardiology") - 0.3 * np.log(income / 40_000)
    came_back = np.where(score + rng.logistic(0, 0.5, n) > 0.8, "yes", "no")
    creatinine[rng.random(n) < 0.03] = np.nan  # not measured
    columns = {"age": age, "stay": stay, "income": income, "creatinine": creatinine, "ward": ward, "smoker": smoker}
    return pd.DataFrame({**columns, "came_back": came_back})


if __name__ == "__main__":
    patients().to_csv(FILE, index=False)
