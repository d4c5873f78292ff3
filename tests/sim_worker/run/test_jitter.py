"""Deviations of replicas: ranges, seeds, and none for the nominal run."""

import numpy as np
from sim_worker.run.jitter import Jitter, no_jitter, random_jitter


def test_random_jitter_fills_its_ranges() -> None:
    jitter = random_jitter(2000, seed=1, parts=2, motors=3)
    low, high = jitter.start_m.min(axis=0), jitter.start_m.max(axis=0)
    np.testing.assert_allclose(low, (-0.005, -0.005, 0.0), atol=5e-5)
    np.testing.assert_allclose(high, 0.005, atol=5e-5)
    np.testing.assert_allclose((jitter.friction_factor.min(), jitter.friction_factor.max()), (0.8, 1.2), atol=0.002)
    np.testing.assert_allclose((jitter.mass_factor.min(), jitter.mass_factor.max()), (0.9, 1.1), atol=0.002)
    np.testing.assert_allclose((jitter.yaw_rad.min(), jitter.yaw_rad.max()), (-0.05, 0.05), atol=0.001)
    np.testing.assert_allclose(jitter.part_mass_factor.min(axis=0), 0.95, atol=0.002)
    np.testing.assert_allclose(jitter.part_mass_factor.max(axis=0), 1.05, atol=0.002)
    np.testing.assert_allclose(jitter.motor_factor.min(axis=0), 0.9, atol=0.002)
    np.testing.assert_allclose(jitter.motor_factor.max(axis=0), 1.1, atol=0.002)
    first, second = jitter.motor_factor[:, 0] - 1.0, jitter.motor_factor[:, 1] - 1.0
    assert abs(np.mean(first * second)) < 0.1 * np.mean(first * first)  # each motor for itself


def test_jitter_of_the_start_is_that_of_the_benchmark() -> None:
    jitter = random_jitter(2000, seed=1, start_mm=0.5)
    np.testing.assert_allclose(jitter.start_m.min(axis=0), (-5e-4, -5e-4, 0.0), atol=5e-6)
    np.testing.assert_allclose(random_jitter(3, seed=1).start_m, random_jitter(3, seed=1, start_mm=0.5).start_m * 10)


def test_random_jitter_is_reproducible_by_seed() -> None:
    np.testing.assert_array_equal(random_jitter(8, seed=5).start_m, random_jitter(8, seed=5).start_m)
    assert not np.array_equal(random_jitter(8, seed=5).start_m, random_jitter(8, seed=6).start_m)


def numbers(jitter: Jitter) -> np.ndarray:
    return np.concatenate([jitter.friction_factor, jitter.mass_factor, *jitter.part_mass_factor, *jitter.motor_factor])


def test_further_payloads_have_the_ranges_of_the_first() -> None:
    jitter = random_jitter(2000, seed=1, start_mm=2.0, payloads=3)
    assert len(jitter.more_payloads) == 2
    for each in jitter.payloads:
        np.testing.assert_allclose(each.start_m.min(axis=0), (-0.002, -0.002, 0.0), atol=2e-5)
        np.testing.assert_allclose(each.start_m.max(axis=0), 0.002, atol=2e-5)
        np.testing.assert_allclose((each.yaw_rad.min(), each.yaw_rad.max()), (-0.05, 0.05), atol=0.001)
        np.testing.assert_allclose((each.mass_factor.min(), each.mass_factor.max()), (0.9, 1.1), atol=0.002)


def test_jitter_of_nothing_but_a_payload_is_the_default() -> None:
    for jitter in (no_jitter(), random_jitter(1, seed=1)):
        assert (jitter.part_mass_factor.shape, jitter.motor_factor.shape) == ((1, 0), (1, 0))
        assert (len(jitter.payloads), jitter.replicas) == (1, 1)


def test_no_jitter_has_no_deviation() -> None:
    jitter = no_jitter(parts=2, motors=1)
    assert jitter.replicas == 1
    assert not jitter.start_m.any()
    assert not jitter.yaw_rad.any()
    np.testing.assert_array_equal(numbers(jitter), np.ones(5))
