"""The functions of mechanisms/ that nobody calls from outside."""

from lemmata.mechanisms import hardening
from lemmata.mechanisms.estimators import (
    calibration,
    erm_estimators,
    fit_cost,
    gd_estimators,
    margin_classifier,
    private_classifier,
    private_estimator,
    regression,
    scaling,
    search,
    statistics,
)
from lemmata.mechanisms.features import fast_projection, kernel_features, sign_projection, sizes
from lemmata.mechanisms.learners.covers import label_learner, network_learner, pure_learner
from lemmata.mechanisms.learners.descent import adaptive_margin, private_tuning, sampled_gd
from lemmata.mechanisms.learners.erm import dp_erm, kernel_learner, output_perturbation, phased_sgd
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_gd, glm_output, grid_search
from lemmata.mechanisms.learners.statistics import bounded_mean, score_counts, second_moments
from lemmata.mechanisms.noise import discrete_gaussian, grid_gaussian, grid_sums, laplace, lazy_reals, snapping
from lemmata.mechanisms.numerics import (
    arguments,
    arithmetic,
    entropy,
    exact_choice,
    exact_geometric,
    inherited_docs,
    kernel_choice,
    kernels,
    per_record,
    proved_floats,
    sparse_rows,
    streams,
    threads,
)
from lemmata.mechanisms.privacy import (
    account_book,
    account_file,
    account_terms,
    algebra,
    disclosure,
    divergences,
    guarantees,
    loss_atoms,
    losses,
    privacy_curve,
    privacy_filter,
)
from lemmata.mechanisms.selection import generalized_exponential
from lemmata.mechanisms.solvers import ball_risk, certified_risk, certified_svm, nearest_point, perturbed_risk
from lemmata.mechanisms.tables import column_ranges, inputs, table_columns

# Inner loops: their arguments were checked by the laws that call them, and checking again would cost as much as a step.
INNER = {
    account_terms: "as_plan as_reserve left_as parts_as planned_as spent_as",
    account_book: "replayed",
    fit_cost: "format_bytes measure_fit measure_memory",
    algebra: "share_of_record",
    account_file: "guarantee_as_dict guarantee_from_dict account_entry",
    divergences: "pure_rho pure_renyi renyi_at doubled certified least_epsilon least_delta implied_curve largest_rho",
    guarantees: "change_of checked_again listed of_users parts_of remember",
    loss_atoms: "atoms_of in_blocks",
    losses: "losses_of",
    privacy_curve: "delta_at epsilon_at grouped",
    privacy_filter: "as_budget first_caps final_caps largest_m charges",
    confidence_boosting: "chunk_sizes",
    inputs: "resolve_random_state check_budget type_letter is_time_type check_frame check_declared as_label_array "
    "as_table as_frame check_nested plain_columns objects_to_floats date_to_days as_label_column equals_label "
    "first_records",
    per_record: "entries_to_floats is_list number row_entries unwrap_single",
    glm_output: "accuracy solve_within",
    label_learner: "freeze_class",
    column_ranges: "normal_cdf exponential_cdf broad_cdf shape_families octave_edges octave_shapes cell_shapes "
    "learn_prior match_moments octave_bins count_bins count_octaves count_cells fullest_octaves look_noise "
    "count_around outermost_octaves noise_hides_ranges",
    disclosure: "warn_once warn_of_leaks charge_account reject_fit_parameters find_fit_callers check_account "
    "silence_leaks",
    scaling: "as_floats apply_ranges find_layout read_bounds find_ranges choose_reach choose_row_length clip_to_ball "
    "with_intercept shorten_rows shrinkage unscale_weights open_fit",
    table_columns: "numbers clock count_unit_steps indicators category_places spell_entry entry_text match_columns "
    "plan_layout inspect",
    erm_estimators: "check_two_records choose_C",
    gd_estimators: "choose_width choose_steps",
    private_classifier: "blank_left_out normalise_odds",
    private_estimator: "spawn_source",
    inherited_docs: "split_sections split_entries inherit_docs share_docs",
    margin_classifier: "make_classifier_law unit_rows",
    search: "make_error_counter share_rows find_largest_pure check_grid make_run_law",
    arguments: "map_row_blocks read_sparse read_matrix",
    bounded_mean: "unit_entries noise_around",
    second_moments: "check_columns off_diagonal solve_ridge add_products",
    statistics: "read_columns read_budget release",
    regression: "choose_widening read_targets",
    calibration: "check_weights fit_curve calibrate with_weights",
    score_counts: "noise_deviation count_scores",
    sparse_rows: "is_sparse canonical_rows entries_of columns_of by_columns dense_rows with_entries per_entry "
    "sum_of_squares largest_entries with_constant equal_rows multiply_into is_on_demand row_bands",
    private_tuning: "find_release_length find_first_least",
    streams: "stream_words canonical_json generator",
    sizes: "pairs_error uniform_size least_sufficient broadcast_size",
    phased_sgd: "inverse_squares project average_iterate phases run_phases bootstrap_runs exact_sigma exact_rows",
    dp_erm: "hinge_means hinge_steps certified_multiplier",
    exact_choice: "choice_weights weight_sum_error enclosed_weights draw_choices decide_choice",
    proved_floats: "normal_quantile minus_log exp_below_700 certify_error",
    exact_geometric: "draw_waiting_times draw_run_count",
    lazy_reals: "draw_rounded nearest_integer",
    certified_risk: "slope float_slopes",
    certified_svm: "solve_certified",
    generalized_exponential: "normalise_scores",
    perturbed_risk: "take_damped_step",
    kernel_learner: "compute_waves",
    kernel_features: "records sizes",
    entropy: "draw_words",
    hardening: "find_line",
    grid_gaussian: "rounded_normal decide_grid_point draw_on_grid",
    grid_sums: "grid_for round_rows prepare_rows count_coefficient_bits round_towards_zero noisy_counts check_noise "
    "sum_in_one_pass sign_rows clip_and_round_rows",
    laplace: "decide_grid_point laplace_shape",
    sign_projection: "check_image add_sparse_images",
    fast_projection: "columns_of butterflies blocks add_signed_rows",
    kernel_choice: "numba_kernels_if_worthwhile",
    nearest_point: "nearest_weights polish_weights",
    kernels: "njit butterflies hadamard sampled_transforms scattered_transforms sums_of_four signed_sums "
    "hinge_sums exponent_counts hinge_steps signed_columns signed_rows short_square long_square sparse_hinge_steps",
    discrete_gaussian: "bernoulli_exp_any spent_delta",
    snapping: "uniform_number rounded_logarithm draw_one draw_many",
    threads: "limit_to_one_thread thread_count_for one_thread_if_small",
    adaptive_margin: "check_projections choose_step_kind count_multiplications",
    sampled_gd: "plan_batches draw_batches make_row_noise release_together release_each prepare_signed_rows candidates",
    pure_learner: "count_errors",
    network_learner: "activation transpose_embeddings count_errors",
    output_perturbation: "radial_log_density prepare_records tolerance",
    glm_gd: "project",
    grid_search: "split_shares bound_noise_length sensitivities penalties",
    ball_risk: "minimise run_descent descent_floor count_steps",
    arithmetic: "round_up round_down sqrt_up sqrt_down sum_up certified_delta newton_epsilon lemma_epsilon lemma_mu "
    "is_pure_gaussian group_delta",
}
