"""The functions of mechanisms/ that nobody calls from outside."""

from lemmata.mechanisms import hardening, law
from lemmata.mechanisms.estimators import (
    erm_estimators,
    gd_estimators,
    margin_classifier,
    private_classifier,
    private_estimator,
    scaling,
    search,
)
from lemmata.mechanisms.features import fast_projection, kernel_features, sign_projection, sizes
from lemmata.mechanisms.learners.covers import label_learner, network_learner, pure_learner
from lemmata.mechanisms.learners.descent import adaptive_margin, private_tuning, sampled_gd
from lemmata.mechanisms.learners.erm import dp_erm, kernel_learner, output_perturbation, phased_sgd
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_gd, glm_output, grid_search
from lemmata.mechanisms.noise import discrete_gaussian, grid_gaussian, grid_sums, laplace, lazy_reals, snapping
from lemmata.mechanisms.numerics import (
    arithmetic,
    entropy,
    exact_choice,
    exact_geometric,
    inherited_docs,
    kernel_choice,
    kernels,
    per_record,
    proved_floats,
    streams,
    threads,
)
from lemmata.mechanisms.privacy import (
    account_file,
    disclosure,
    divergences,
    guarantees,
    privacy_curve,
    privacy_filter,
)
from lemmata.mechanisms.selection import generalized_exponential
from lemmata.mechanisms.solvers import ball_risk, certified_risk, certified_svm, nearest_point, perturbed_risk
from lemmata.mechanisms.tables import column_ranges, inputs, table_columns

# Inner loops: their arguments were checked by the laws that call them, and checking again would cost as much as a step.
INNER = {
    account_file: "named guarantee_of entry_of",
    divergences: "pure_rho pure_renyi renyi_at doubled certified least_epsilon least_delta implied_curve largest_rho",
    guarantees: "check_neighbours listed",
    privacy_curve: "delta_at epsilon_at grouped",
    privacy_filter: "as_budget first_caps final_caps largest_m charges",
    confidence_boosting: "chunk_sizes",
    inputs: "seeded check_budget kind_of counts_time check_frame check_declared labels_of tabular numbers_of days "
    "column equal",
    per_record: "floats number row sole",
    glm_output: "accuracy solve_within",
    label_learner: "freeze_class",
    column_ranges: "normal exponential broad families octave_edges octave_shapes cell_shapes nearest octave_bins "
    "counts_of octave_counts cell_counts two_octaves look_noise around",
    disclosure: "warn_once warn_of_leaks charge_account reject_fit_parameters find_fit_callers check_account",
    scaling: "as_dense_floats find_layout read_bounds find_ranges choose_row_length clip_to_ball",
    table_columns: "numbers clock steps indicators listed_places spelled text_of by_place layout",
    erm_estimators: "check_two_records choose_C",
    gd_estimators: "choose_width choose_steps",
    private_classifier: "blank_left_out",
    private_estimator: "spawn_source",
    inherited_docs: "sections entries documented like",
    margin_classifier: "make_classifier_law unit_rows",
    search: "make_error_counter find_largest_pure check_grid",
    law: "by_bands",
    private_tuning: "find_release_length find_first_least",
    streams: "words canonical_json generator",
    sizes: "pairs_error uniform_size least over",
    phased_sgd: "inverse_squares project average_iterate phases run_phases bootstrap_runs exact_sigma exact_rows",
    dp_erm: "hinge_means hinge_steps certified_multiplier",
    exact_choice: "weights_of slack balls_of choose settled",
    proved_floats: "quantile_of log_of exp_of certified_error",
    exact_geometric: "geometric runs",
    lazy_reals: "rounded cell",
    certified_risk: "slope float_slopes",
    certified_svm: "certified",
    generalized_exponential: "normalised",
    perturbed_risk: "damped",
    kernel_learner: "compute_waves",
    kernel_features: "records sizes",
    entropy: "words",
    hardening: "find_line",
    grid_gaussian: "rounded_normal settled on_grid",
    grid_sums: "grid_for grid_rows on_grid coefficient_bits rounded_down noisy_counts check_noise "
    "reading_once signed_rows clipped_rows",
    laplace: "settled shape_of",
    sign_projection: "checked",
    fast_projection: "columns_of butterflies blocks",
    kernel_choice: "compiled",
    nearest_point: "nearest_weights polished_weights",
    kernels: "njit butterflies hadamard sampled_transforms scattered_transforms sums_of_four signed_sums hinge_sums "
    "exponent_counts "
    "hinge_steps",
    discrete_gaussian: "bernoulli_exp_any spent",
    snapping: "number logarithm draw draws",
    threads: "one_thread threads_for one_thread_if_small",
    adaptive_margin: "check_projections choose_step_kind count_multiplications",
    sampled_gd: "plan_batches draw_batches make_row_noise release_together release_each prepare_signed_rows candidates",
    pure_learner: "count_errors",
    network_learner: "activation transpose_embeddings count_errors",
    output_perturbation: "radial_log_density prepare_records tolerance",
    glm_gd: "project",
    grid_search: "split_shares bound_noise_length sensitivities penalties",
    ball_risk: "minimise descended descent_floor steps_for",
    arithmetic: "up down root_up root_down sum_up certified_delta newton_epsilon lemma_epsilon lemma_mu "
    "pure_is_gaussian group_delta",
}
