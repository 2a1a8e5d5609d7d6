"""Fuzzing finds the faults of functions that are faulty on purpose, and says them as code."""

import numpy as np
import pytest

from repcost_book.commands.fuzzing import table
from repcost_book.commands.main import main
from repcost_book.trials import attacks
from repcost_book.trials.attacks import ATTACKS, attacks_in
from repcost_book.trials.campaign import KEPT, Campaign
from repcost_book.trials.findings import Finding, code, literal
from repcost_book.trials.fuzz import (
    FINDING,
    REFUSED,
    RIGHT,
    Attack,
    Tally,
    WrongError,
    fuzz,
    outcome,
)
from repcost_book.trials.overdue import Overdue
from repcost_book.trials.shrinking import shrunk
from tests.faulty_attacks import LATE

HOME = "tests.faulty_attacks"
FAULTY = attacks_in(HOME)


def campaign(name: str, cases: int, **options) -> Tally:
    options = {"patience": 60.0, **options}
    *_, tallies = Campaign(0, most_cases=cases, home=HOME, **options).run([name], 1)
    return tallies[name]


def first_late(name: str) -> int:
    return next(n for n in range(1000) if FAULTY[name].case(0, n)["x"] == LATE)


# Every attack on the library


@pytest.mark.parametrize("name", ATTACKS)
def test_the_library_stands_a_few_cases_of_each_attack(name, unchecked):
    found = fuzz(ATTACKS[name], 0, range(20)).findings
    assert not found, "\n\n".join(map(str, found))


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_draws_the_same_again_and_can_be_printed(name):
    def drawn(seed: int) -> list[str]:
        return [code(attack.call, attack.case(seed, number)) for number in range(10)]

    attack = ATTACKS[name]
    assert drawn(5) == drawn(5) != drawn(6)
    for case in drawn(5):
        compile(case, "a case", "exec")


# Machinery: in this process


def test_a_fault_is_found_and_its_input_shrunk_to_the_least():
    tally = fuzz(FAULTY["too_large"], 0, range(5))
    assert tally.outcomes[FINDING] == len(tally.findings) == 5
    small = tally.findings[0].arguments
    assert small["x"].shape == (1,) and small["y"].shape == (1, 1)
    # A power of two is simpler than two digits; of whole numbers 2 is the least that will do.
    assert 100 < small["x"][0] < 4096 and np.log2(small["x"][0]) % 1 == 0
    assert small["y"].tolist() == [[0.0]] and small["depth"] == 2


def test_shrinking_does_not_turn_one_fault_into_another():
    def judge(x):
        if not x.any():
            raise KeyError("another fault")
        raise WrongError("the fault")

    attack = Attack("f", lambda rng: {"x": rng.normal(size=4)}, judge, "f(x)")
    (found,) = fuzz(attack, 0, [3]).findings
    assert found.says == "the fault" and found.arguments["x"].tolist() == [1.0]


def test_shrinking_ends_by_its_tries_and_by_the_clock():
    tried = []
    arguments = {"x": np.arange(50.0)}
    shrunk(lambda simpler: bool(tried.append(simpler)), arguments, tries=9)
    assert len(tried) == 9
    assert shrunk(lambda simpler: True, arguments, seconds=0.0)["x"].shape == (50,)


@pytest.mark.parametrize(
    "name, kind",
    [("names_nothing", FINDING), ("names_it", REFUSED), ("names_the_keyword", REFUSED)],
)
def test_a_refusal_has_to_name_an_argument_as_a_word(name, kind):
    assert outcome(FAULTY[name], {"x": 3}).kind == kind


@pytest.mark.parametrize(
    "error", [KeyError("x"), OverflowError("x"), SystemExit(0), BaseException("panic")]
)
def test_other_exceptions_are_findings(error):
    def judge(x):
        raise error

    assert outcome(Attack("f", FAULTY["dies"].draw, judge, "f(x)"), {"x": 3}).kind == FINDING


def test_a_warning_is_a_finding():
    attack = Attack("f", FAULTY["dies"].draw, lambda x: str(np.float64(1e300) * x), "f(x)")
    assert "overflow" in outcome(attack, {"x": 1e300}).says


def test_findings_of_a_sort_differ_in_numbers_only():
    def sort(text: str) -> str:
        def judge(x):
            raise WrongError(text)

        return outcome(Attack("f", FAULTY["dies"].draw, judge, "f(x)"), {"x": 0}).sort

    assert sort("Bracket(1.5, 2e-3) does not hold 7") == sort("Bracket(0, inf) does not hold 8.25")
    assert sort("does not hold") != sort("is not attained")


def test_a_finding_is_code_that_runs():
    x, y = np.array([0.0, 0.1, -0.0]), np.array([1.0, 2.0, np.inf])
    call = "interpolate_line(x, y, depth=depth)"
    finding = Finding("interpolate_line", call, 5, 17, "two\nlines", {"x": x, "y": y, "depth": 2})
    text = str(finding)
    assert "--only interpolate_line --seed 5 --case 17" in text
    names: dict = {}
    exec(text.rpartition("\n")[0], names)
    assert names["x"].tobytes() == x.tobytes() and (names["y"] == y).all()
    assert callable(names["interpolate_line"]) and "two lines" in text


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((0, 3)),
        np.array([[1, 2]]),
        np.array([True, False]),
        np.array([0.1], dtype=np.float32),
        [np.array([5e-324]), 1, "a"],
        (np.float64(0.1),),
    ],
    ids=str,
)
def test_literals_are_the_values_they_stand_for(value):
    again = eval(literal(value), {"np": np})
    np.testing.assert_equal(again, value)
    assert type(again) is type(value)
    if isinstance(value, np.ndarray):
        assert again.dtype == value.dtype and again.shape == value.shape


def test_two_attacks_of_one_name_are_refused(tmp_path, monkeypatch):
    room = tmp_path / "twice"
    room.mkdir()
    text = "from repcost_book.trials.fuzz import Attack\nMINE = (Attack('f', len, len, 'f(x)'),)"
    for name in ("__init__.py", "one.py", "two.py"):
        (room / name).write_text(text if name != "__init__.py" else "")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"twice\.two has an attack 'f'"):
        attacks_in("twice")


def test_every_module_of_the_folder_takes_part():
    from pathlib import Path

    modules = {path.stem for path in Path(attacks.__file__).parent.glob("[a-z]*.py")}
    drawing = {attack.draw.__module__.rpartition(".")[2] for attack in ATTACKS.values()}
    assert drawing <= modules and "lines" in drawing


# Machinery: processes that may die


@pytest.mark.parametrize("name, says", [("dies", "died: SIG"), ("leaves", "died: exit code 0")])
def test_a_process_that_dies_is_a_finding_with_its_case_and_the_next_cases_follow(name, says):
    late = first_late(name)
    tally = campaign(name, late + 3)
    found = tally.findings[0]
    assert found.number == late and found.arguments == {"x": LATE} and says in found.says
    assert tally.cases == late + 3 and tally.outcomes[RIGHT] >= late


def test_a_process_that_hangs_is_stopped_and_is_a_finding():
    late = first_late("hangs")
    tally = campaign("hangs", 2, first=late - 1, patience=2.0)
    assert [found.number for found in tally.findings] == [late]
    assert "no answer in 2 s" in tally.findings[0].says
    assert tally.outcomes == {RIGHT: 1, FINDING: 1}


def test_a_process_hangs_by_what_it_computes_and_not_by_the_clock(monkeypatch):
    told, clock = [0.0], [0.0]
    monkeypatch.setattr(Overdue, "_computed", lambda self: told[0])
    monkeypatch.setattr("repcost_book.trials.overdue.monotonic", lambda: clock[0])
    overdue = Overdue(1, patience=10.0)
    for _ in range(20):  # a busy machine: a moment of the processor now and then
        clock[0], told[0] = clock[0] + 9.0, told[0] + 0.4
        assert not overdue.hangs
    told[0] = 10.1
    assert overdue.hangs
    asleep = Overdue(1, patience=10.0)
    clock[0] += 10.1
    assert asleep.hangs


def test_where_simpler_arguments_end_the_process_the_first_ones_are_kept():
    tally = campaign("dies_simpler", 1)
    (found,) = tally.findings
    assert found.arguments == FAULTY["dies_simpler"].case(0, 0)
    assert "always" in found.says and "simpler" in found.says and tally.cases == 1


def test_drawing_that_fails_is_a_finding_of_its_own_case():
    tally = campaign("cannot_draw", 1, first=5)
    assert [found.number for found in tally.findings] == [5]


def test_a_campaign_tries_the_cases_of_its_numbers_and_keeps_few_of_a_sort():
    tally = campaign("too_large", KEPT + 4, first=2)
    assert [found.number for found in tally.findings] == [2, 3, 4][:KEPT]
    assert tally.cases == tally.outcomes[FINDING] == KEPT + 4
    apart, inside = tally.findings[0], fuzz(FAULTY["too_large"], 0, [2]).findings[0]
    assert str(apart) == str(inside)


def test_a_campaign_ends_by_the_clock():
    *_, tallies = Campaign(0, seconds=0.0, home=HOME).run(["dies"], 1)
    assert tallies["dies"].cases == 0


# The command


def test_the_command_prints_a_table_and_leaves_quietly(capsys):
    main(["fuzz", "--only", "interpolate_line", "--seed", "0", "--cases", "3"])
    printed = capsys.readouterr().out
    assert "seed 0" in printed
    row = printed.splitlines()[-1].split()
    assert row[:2] == ["interpolate_line", "3"] and row[-1] == "0"


def test_the_command_fails_by_findings_and_prints_them(monkeypatch, capsys):
    monkeypatch.setattr(attacks, "ATTACKS", FAULTY)
    monkeypatch.setattr(Campaign, "run", lambda self, names, jobs: iter([_findings(names[0])]))
    with pytest.raises(SystemExit) as ended:
        main(["fuzz", "--only", "too_large", "--seed", "0", "--case", "4"])
    printed = capsys.readouterr().out
    assert ended.value.code == 1
    assert printed.count("too_large(x, y, depth=depth)") == 2, "the case, and the finding"


def _findings(name: str) -> dict[str, Tally]:
    return {name: fuzz(FAULTY[name], 0, [4])}


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--only", "interpolate_lin"], "did you mean interpolate_line"),
        (["--only", "nothing_like_it"], "There are: .*function_cost"),
        (["--case", "3", "--only", "function_cost"], "the --seed too"),
        (["--case", "3", "--seed", "0"], "by --only"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(arguments, says):
    with pytest.raises(SystemExit, match=f"(?s){says}"):
        main(["fuzz", *arguments])


@pytest.mark.parametrize(
    "arguments, says",
    [(["--cases", "0"], ">= 1"), (["--seed", "-1"], "small"), (["--minutes", "nan"], "small")],
)
def test_the_command_refuses_numbers_out_of_range(arguments, says, capsys):
    with pytest.raises(SystemExit):
        main(["fuzz", *arguments])
    assert says in capsys.readouterr().err


def test_a_table_has_shares_and_can_be_empty():
    tally = fuzz(FAULTY["names_it"], 0, range(4))
    assert table({"names_it": tally, "never": Tally()}).splitlines()[-2:] == [
        "names_it          4    100.0%      0.0%         0",
        "never             0      0.0%      0.0%         0",
    ]
