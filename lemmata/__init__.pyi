"""Made by `python -m lemmata.tools.public_names`."""

from lemmata import bounds as bounds
from lemmata import mechanisms as mechanisms
from lemmata.bounds.theorem import Theorem as Theorem
from lemmata.bounds.theorem import theorems as theorems
from lemmata.command.main import script as script
from lemmata.command.verdict import Verdict as Verdict
from lemmata.command.verdict import verdict as verdict
from lemmata.experiments.figures.statement import figure as figure
from lemmata.mechanisms.audit.front.assertion import assert_private as assert_private
from lemmata.mechanisms.audit.front.entry import audit as audit
from lemmata.mechanisms.audit.play.audit_result import Audit as Audit
from lemmata.mechanisms.audit.play.audit_result import Found as Found
from lemmata.mechanisms.audit.subjects.tracing import Trace as Trace
from lemmata.mechanisms.audit.subjects.tracing import trace as trace
from lemmata.mechanisms.estimators.erm_estimators import DPERM as DPERM
from lemmata.mechanisms.estimators.erm_estimators import EfficientMargin as EfficientMargin
from lemmata.mechanisms.estimators.erm_estimators import PhasedSGD as PhasedSGD
from lemmata.mechanisms.estimators.erm_estimators import PrivateSVM as PrivateSVM
from lemmata.mechanisms.estimators.erm_estimators import PureMargin as PureMargin
from lemmata.mechanisms.estimators.gd_estimators import AdaptiveMargin as AdaptiveMargin
from lemmata.mechanisms.estimators.gd_estimators import NoisyGD as NoisyGD
from lemmata.mechanisms.estimators.gd_estimators import ProjectedGD as ProjectedGD
from lemmata.mechanisms.estimators.gd_estimators import TunedMargin as TunedMargin
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier as MarginClassifier
from lemmata.mechanisms.estimators.scaling import PrivateScaler as PrivateScaler
from lemmata.mechanisms.estimators.search import PrivateSearchCV as PrivateSearchCV
from lemmata.mechanisms.features.sizes import features_needed as features_needed
from lemmata.mechanisms.features.sizes import rows_compared as rows_compared
from lemmata.mechanisms.features.sizes import rows_needed as rows_needed
from lemmata.mechanisms.privacy import ZCDP as ZCDP
from lemmata.mechanisms.privacy import ApproxDP as ApproxDP
from lemmata.mechanisms.privacy import GaussianDP as GaussianDP
from lemmata.mechanisms.privacy import LabelDP as LabelDP
from lemmata.mechanisms.privacy import PrivacyCurve as PrivacyCurve
from lemmata.mechanisms.privacy import PureDP as PureDP
from lemmata.mechanisms.privacy import RenyiDP as RenyiDP
from lemmata.mechanisms.privacy import compose as compose
from lemmata.mechanisms.privacy import gaussian_delta as gaussian_delta
from lemmata.mechanisms.privacy import gaussian_epsilon as gaussian_epsilon
from lemmata.mechanisms.privacy import gaussian_mu as gaussian_mu
from lemmata.mechanisms.privacy import gaussian_noise_multiplier as gaussian_noise_multiplier
from lemmata.mechanisms.privacy import group as group
from lemmata.mechanisms.privacy import to_approx as to_approx
from lemmata.mechanisms.privacy import to_curve as to_curve
from lemmata.mechanisms.privacy import to_gaussian as to_gaussian
from lemmata.mechanisms.privacy import to_neighbours as to_neighbours
from lemmata.mechanisms.privacy import to_pure as to_pure
from lemmata.mechanisms.privacy import to_renyi as to_renyi
from lemmata.mechanisms.privacy import to_zcdp as to_zcdp
from lemmata.mechanisms.privacy.accountant import Accountant as Accountant
from lemmata.mechanisms.privacy.accountant import OverBudget as OverBudget
from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning as PrivacyLeakWarning
from lemmata.mechanisms.privacy.privacy_curve import from_trade_off as from_trade_off
from lemmata.mechanisms.privacy.privacy_curve import privacy_curve as privacy_curve
from lemmata.mechanisms.privacy.privacy_curve import trade_off as trade_off

HOME: dict[str, str]
PACKAGES: tuple[str, ...]
__version__: str
