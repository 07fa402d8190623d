"""Opacus: one step of its training, whose noisy gradient is released."""

import numpy as np
import torch
from opacus import PrivacyEngine
from opacus.grad_sample import GradSampleModule
from opacus.optimizers import DPOptimizer
from torch.utils.data import DataLoader, TensorDataset

from lemmata import GaussianDP
from lemmata.tools.wild.targets import honest, known

X = np.random.default_rng(0).uniform(-1, 1, (3, 2))
ISSUE = "https://github.com/meta-pytorch/opacus/issues/571"


def finite(X):
    """What its user feeds it: records of finite numbers."""
    return torch.tensor(np.clip(np.nan_to_num(X), -1e3, 1e3), dtype=torch.float32)


def gradient(X, seed, reduction="mean"):
    """The gradient of a linear model after a step of full batch, as the engine makes it: noise four times the norm."""
    model = torch.nn.Linear(X.shape[1], 1, bias=False)
    model, optimizer, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=DataLoader(TensorDataset(finite(X)), batch_size=64),
        noise_multiplier=4.0,
        max_grad_norm=1.0,
        loss_reduction=reduction,
        noise_generator=torch.Generator().manual_seed(seed),
    )
    for (batch,) in loader:
        getattr(model(batch), reduction)().backward()
        optimizer.step()
    return model._module.weight.grad.numpy().ravel()


def step(X, seed):
    """The same of its optimizer alone, whose batch is expected to hold one record, whatever there is."""
    model = GradSampleModule(torch.nn.Linear(X.shape[1], 1, bias=False), loss_reduction="sum")
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=1.0),
        noise_multiplier=4.0,
        max_grad_norm=1.0,
        expected_batch_size=1,
        loss_reduction="sum",
        generator=torch.Generator().manual_seed(seed),
    )
    model(finite(X)).sum().backward()
    optimizer.step()
    return model._module.weight.grad.numpy().ravel()


@known(ISSUE, "all is divided by the number of records", line="privacy_engine.py:441 optimizer.py:504", budget=8_000)
def gradient_of_few_records():
    return gradient, X, GaussianDP(0.25, "add/remove")


@honest("the number of records is public", budget=8_000)
def gradient_of_replaced_records():
    return gradient, X, GaussianDP(0.5)


@honest("loss_reduction='sum': nothing is divided", budget=8_000)
def sum_of_gradients():
    return lambda X, seed: gradient(X, seed, "sum"), X, GaussianDP(0.25, "add/remove")


@honest("its optimizer without the engine", budget=8_000)
def step_of_the_optimizer():
    return step, X, GaussianDP(0.25, "add/remove")
