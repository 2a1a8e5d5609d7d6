"""No input ends the process: every public function, with nothing, zeros and constants."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import repcost
from repcost import Brackets, DeepNet, prune
from repcost.training import Ensemble
from tests import degenerate


def told(*functions: str) -> subprocess.CompletedProcess:
    """What the script says of these functions, in a process that may end as it likes."""
    script = Path(degenerate.__file__)
    path = os.pathsep.join([str(script.parents[1]), str(Path(repcost.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(script), *functions]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


# Takes up to ten seconds: every function, with all inputs, in a process of its own.
@pytest.fixture(scope="module")
def everything():
    return told(*repcost.__all__)


@pytest.mark.parametrize("name", repcost.__all__)
def test_answers_are_results_or_name_an_argument(everything, name):
    lines = everything.stdout.splitlines()
    findings = [line for line in lines if line.startswith(f"{name}(")]
    assert not findings, "\n".join(findings[:5])
    assert any(line.startswith(f"{name} ") for line in lines), everything.stderr[-2000:]


def test_the_process_lives(everything):
    assert everything.returncode == 0, everything.stderr[-2000:]
    assert everything.stdout.splitlines()[-1] == "alive"


def test_an_ended_process_would_be_seen():
    code = "import os, sys; print('prune', flush=True); os.abort()"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode != 0


def test_a_basis_without_columns_is_not_given_to_the_solver():
    """All outer weights are next to nothing for the linear programme: code 134, once."""
    net = DeepNet([[[1.0], [-1.0]], [[1.0, 1e-9]]], [[0.0, 0.0], [0.0]])
    small = prune(net, [[-1.0]])
    assert abs(small([[-1.0]]).item() - 1e-9) < 1e-20


def test_results_without_anything_in_them_can_be_printed():
    """The first is what a batch of no problems has, the second what nobody trained."""
    nothing = np.zeros(0)
    assert str(Brackets(nothing, nothing, "certified")).startswith("0 brackets (certified")
    nobody = Ensemble(
        members=(),
        networks=(),
        shape=(0, 0, 0),
        objectives=nothing,
        looked=np.zeros(0, dtype=int),
        logged=np.zeros((0, 0)),
        diverged=np.zeros(0, dtype=bool),
        lower=nothing,
        tolerance=0.1,
    )
    assert str(nobody) == "0 networks, lowest objective inf"
