"""The privacy of a group of one is that of one."""

from mechanisms.arithmetic import group_delta


def test_a_group_of_one_has_its_own_delta_at_any_epsilon():
    for epsilon in (0.0, 1.0, 2000.0):
        assert 1e-5 <= group_delta(epsilon, 1e-5, 1) < 1.0001e-5
