"""
The picture of a verdict
========================

Lemma A.5 of Wang, Zhu and Wang bounds the largest of n Gaussians, and its second term lacks the standard
deviation. It is decided here and now, and `lemmata.figure` draws what its check found.
"""

from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

import lemmata
from lemmata.experiments.engine.front.decision import decide

for theorem in lemmata.theorems("wzw25.lemA.5"):
    row = decide(theorem.key, root=1)
    print(f"{theorem.key:32} {row['verdict']}")
    if row["verdict"] == "REFUTED":
        print(row["witness"]["python"])

with TemporaryDirectory() as folder:
    pictures = [plt.imread(path) for path in lemmata.figure("wzw25.lemA.5", folder, kind="png")]

# %%
# The level that the printed lemma promises is passed too often; the corrected one holds.

for picture in pictures:
    plt.figure(figsize=(7, 7 * picture.shape[0] / picture.shape[1]))
    plt.imshow(picture)
    plt.axis("off")
plt.show()
