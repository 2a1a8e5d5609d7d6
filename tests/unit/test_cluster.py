"""The same chapters on the workers of a Dask scheduler: the source goes out, the executed notebook comes back."""

import pytest
from distributed import LocalCluster

from repcost_book.runner import Request, run
from tests.small_book import small_book, states

# Dask leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_chapters_run_on_the_workers_of_a_scheduler(tmp_path):
    project = small_book(tmp_path)
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address  # pyright: ignore[reportAttributeAccessIssue] (typed as asynchronous)
        results = run(project, Request(only=["good", "raising"], scheduler=address))
    assert states(results) == {"good": "ran", "raising": "FAILED"}
    assert states(run(project, Request(only=["good"]))) == {"good": "cached"}
