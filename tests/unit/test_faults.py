"""The faults of `python -m tests.plant_faults` can be planted, and it says when one was missed."""

from pathlib import Path

import pytest

from tests.faults import FAULTS, Fault
from tests.plant_faults import planted

KINDS = {"sign", "factor", "rounding", "off by one", "no refusal", "stale key", "a wrong link"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}-{fault.new}")
def test_a_fault_fits_the_code_of_today(fault):
    path = Path(fault.file)
    if path.parts[0] == "_build" and not path.is_file():
        pytest.skip("the pages are not built: make book")
    assert fault.old in path.read_text(encoding="utf-8"), "mend this line of tests/faults.py"
    named = [word.partition("::")[0] for word in fault.noticed_by.split() if "/" in word]
    assert named and all(Path(name).is_file() for name in named)


def test_there_are_forty_of_many_kinds():
    assert len(set(FAULTS)) >= 40 and {fault.kind for fault in FAULTS} >= KINDS


@pytest.mark.parametrize(
    "code, said", [(1, "noticed"), (0, "MISSED"), (2, "MISSED"), (4, "MISSED"), (5, "MISSED")]
)
def test_only_tests_that_failed_have_noticed(tmp_path, code, said):
    """Tests that pass, or cannot be found, notice nothing; the file is whole again afterwards."""
    path, seen = tmp_path / "sound.py", []

    def run(tests: str) -> int:
        seen.append((tests, path.read_text()))
        return code

    path.write_text("x = 1 + 1\ny = 1 + 1\n")
    fault = Fault("sign", "sound.py", "1 + 1", "1 - 1", "tests/of_it.py")
    assert planted(tmp_path, fault, run) == said
    assert seen == [("tests/of_it.py", "x = 1 - 1\ny = 1 + 1\n")]
    assert path.read_text() == "x = 1 + 1\ny = 1 + 1\n"


def test_what_cannot_be_planted_is_told(tmp_path):
    fault = Fault("sign", "gone.py", "1 + 1", "1 - 1", "tests/of_it.py")
    assert planted(tmp_path, fault, lambda tests: 1) == "OUT OF DATE"
