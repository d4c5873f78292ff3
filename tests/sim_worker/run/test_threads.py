"""Threads of a simulation: replicas are spread over them, matrices are not."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from sim_worker.simulator import Simulator
from threadpoolctl import ThreadpoolController


def test_matrices_are_multiplied_in_one_thread() -> None:
    pools = ThreadpoolController().select(user_api="blas")
    with pools.limit(limits=2):
        Simulator(threads=2)
        assert {pool.num_threads for pool in pools.lib_controllers} == {1}
