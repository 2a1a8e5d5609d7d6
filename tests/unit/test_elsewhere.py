"""Trials elsewhere, on a small book whose chapters flip as they are told."""

import os

import pytest

from repcost_book.commands.main import main
from repcost_book.kernel.ledger import statements
from repcost_book.runner import environment
from repcost_book.runner.chapters import chapters
from repcost_book.runner.project import Project
from repcost_book.trials.elsewhere import Elsewhere
from repcost_book.trials.flips import all_hold, rows, table
from repcost_book.trials.noting import Note
from repcost_book.trials.settings import SEEDS, SETTINGS, USUAL, lacking, trials
from tests.small_book import small_book, write_chapter

KNOWN = {each.name: each for each in SETTINGS}
STATEMENT = next(each for each in statements().values() if len(each.claims) > 1)
FIRST, SECOND = (claim.text for claim in STATEMENT.claims[:2])
HEAD = "import os\nfrom repcost_book import Run, check\n"
CHECK = f"check({STATEMENT.id!r}, {{claim!r}}, {{worst}}, at_most=0.01, wrong={{{{'b': {{b}}}}}})\n"


def code(first, second="0.001", b="1"):
    """A chapter with a claim each for two measurements, which may depend on the seed."""
    one, two = (
        CHECK.format(claim=claim, worst=worst, b=b)
        for claim, worst in ((FIRST, first), (SECOND, second))
    )
    return HEAD + one + two


@pytest.fixture
def project(tmp_path):
    project = small_book(tmp_path)
    write_chapter(project.root, "good", code("0.004"))
    return project


def came(project, settings=(), seeds=(), only="good", jobs=1):
    wanted = [KNOWN[name] for name in settings]
    todo = list(trials(chapters(project, [only]), wanted, seeds))
    return list(Elsewhere(project).run(todo, jobs))


def test_one_factor_at_a_time_unless_both_are_given(project):
    (good,) = chapters(project, ["good"])
    usual = [(USUAL, seed) for seed in SEEDS]
    others = [(each, 0) for each in SETTINGS[1:]]

    def pairs(*asked):
        return [(trial.setting, trial.seed) for trial in trials([good], *asked)]

    assert pairs() == usual + others and len(usual) == 32
    assert pairs([], [3, 4]) == [(USUAL, 3), (USUAL, 4)]
    zen = KNOWN["Zen"]
    assert pairs([zen]) == [(zen, 0)]
    assert pairs([zen, USUAL], [3, 4]) == [(zen, 3), (zen, 4), (USUAL, 3), (USUAL, 4)]


def test_what_holds_holds(project):
    found = came(project, seeds=[0, 1], jobs=2)
    assert all_hold(found)
    assert [len(row.noted) for row in rows(found)] == [2, 2]
    assert "2 trials, 0 stopped; 2 claims, 0 flip, 2 stay below 0.5" in table(found)


def test_no_figure_is_painted(project):
    fails = "fig = plt.figure()\nfig.savefig = None\nfigure(fig, 'fig-a', caption='', alt='')\n"
    imports = "import matplotlib.pyplot as plt\nfrom repcost_book import figure\n"
    write_chapter(project.root, "good", imports + fails + code("len(plt.get_fignums())"))
    assert all_hold(came(project, seeds=[0]))


# Takes up to ten seconds: three trials, and packages are imported for them first.
def test_a_claim_that_flips_with_the_seed_is_seen_and_the_next_claim_too(project):
    write_chapter(project.root, "good", code("0.009 + 0.02 * (seed == 3)", "0.02 * (seed == 4)"))
    found = came(project, seeds=[2, 3, 4])
    assert not all_hold(found)
    assert {row.claim.removeprefix(f"{STATEMENT.id}: "): row.flips for row in rows(found)} == {
        FIRST: ["seed 3"],
        SECOND: ["seed 4"],
    }
    text = table(found)
    assert "worst: 0.029 of at most 0.01, 2.900 of it, at seed 3" in text
    assert "FLIPS at seed 4: measured 0.02, which is not at most 0.01" in text


def test_a_wrong_formula_that_is_no_longer_refuted_flips_and_a_near_claim_is_shown(project):
    write_chapter(project.root, "good", code("0.006", b="1 if seed else 0.05"))
    text = table(came(project, seeds=[0, 1]))
    assert "FLIPS at seed 0: the wrong formula 'b' measured 0.05" in text
    write_chapter(project.root, "good", code("0.006"))
    assert "worst: 0.006 of at most 0.01, 0.600 of it" in table(came(project, seeds=[0]))


def test_settings_reach_the_chapter(project):
    told = "float([os.environ['OMP_NUM_THREADS'], os.environ.get('ATEN_CPU_CAPABILITY')]"
    write_chapter(
        project.root, "good", code(f"{told} != ['2', None])", f"{told} != ['1', 'avx2'])")
    )
    found = came(project, ["two-threads", "ATen-avx2"])
    assert [row.flips for row in rows(found)] == [["ATen-avx2 seed 0"], ["two-threads seed 0"]]


def test_a_chapter_that_stops_is_no_success(project):
    found = came(project, seeds=[0], only="raising")
    assert not all_hold(found)
    assert "STOPS at seed 0: RuntimeError: this went wrong" in table(found)
    # It noted nothing, so nothing of it is taken for granted by a second start.
    write_chapter(project.root, "raising", code("0.001"))
    assert all_hold(came(project, seeds=[0], only="raising"))


# Takes up to fifteen seconds: six trials, each in a process of its own, one after the other.
def test_a_second_start_goes_on(project):
    log = project.root / "log.txt"
    counting = f"open({str(log)!r}, 'a').write(str(seed))\n"
    write_chapter(project.root, "good", counting + code("0.004"))
    todo = list(trials(chapters(project, ["good"]), (), [5, 6, 7]))
    started = Elsewhere(project).run(todo, 1)
    first = next(started)
    # As an interruption does it: what has ended is kept, and the rest never was.
    started.close()
    ended = {path.stem for path in (project.build / "elsewhere" / "good").glob("*.json")}
    assert first.trial.seed == 5 and "seed-5" in ended
    again = list(Elsewhere(project).run(todo, 1))
    assert [each.trial.seed for each in again] == [5, 6, 7] and all_hold(again)
    assert again[0].notes == first.notes and log.read_text().count("5") == 1
    # Whatever is unreadable, or of other code, runs again.
    (project.build / "elsewhere" / "good" / "seed-6.json").write_text("{")
    came(project, seeds=[5, 6])
    assert log.read_text().count("5") == 1
    write_chapter(project.root, "good", counting + code("0.02"))
    assert not all_hold(came(project, seeds=[5]))


def test_what_the_processor_lacks_is_skipped_by_name(project, monkeypatch, capsys):
    monkeypatch.setattr(Project, "here", lambda: project)
    monkeypatch.setattr("repcost_book.trials.settings.flags", lambda: {"avx2", "fma"})
    assert lacking(KNOWN["Haswell"]) == "" and lacking(KNOWN["Sandybridge"]) == "avx"
    main(["elsewhere", "--only", "good", "--settings", "SkylakeX", "Haswell"])
    printed = capsys.readouterr().out
    assert "Skipped: SkylakeX, as this processor has no avx512bw, avx512cd" in printed
    assert "Haswell" not in printed and "1 trials, 0 stopped" in printed


def test_the_command_fails_where_something_flips(project, monkeypatch, capsys):
    monkeypatch.setattr(Project, "here", lambda: project)
    write_chapter(project.root, "good", code("0.02 * seed"))
    with pytest.raises(SystemExit, match="Not everything holds"):
        main(["elsewhere", "--only", "good", "--seeds", "0-1", "-j", "2"])
    assert "FLIPS at seed 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "asked, says",
    [
        (["--settings", "Haswel"], "No setting Haswel; the settings are: usual, Prescott"),
        (["--only", "goood"], "No chapter goood; the chapters are: good"),
    ],
)
def test_mistyped_names_are_refused(project, monkeypatch, asked, says):
    monkeypatch.setattr(Project, "here", lambda: project)
    with pytest.raises(SystemExit, match=says):
        main(["elsewhere", *asked])


def test_mistyped_seeds_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["elsewhere", "--seeds", "1-"])
    assert "'1-' is neither a seed, as 7, nor a range, as 0-31" in capsys.readouterr().err


def test_a_bound_that_is_not_positive_has_no_share():
    assert Note("s", "c", -0.1, 0.0).share == 0.0
    assert Note("s", "c", 0.1, 0.0, "failed").share == float("inf")
    assert Note("s", "c", float("nan"), 0.0, "failed").share == float("inf")


def test_openblas_takes_the_core_type_that_it_is_told(project):
    """Sums are rounded in another order; otherwise the settings would be one and the same."""
    if any(lacking(KNOWN[name]) for name in ("Prescott", "Haswell")):
        pytest.skip("this processor is of another kind")
    product = "A = Run('quick', 0).rng().normal(size=(200, 200)); total = float((A @ A).sum())\n"
    write_chapter(project.root, "good", HEAD + product + code("total"))
    found = came(project, ["Prescott", "Haswell"])
    assert len({each.notes[0].worst for each in found}) == 2


def test_waiting_is_longer_where_more_runs(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (5.0, 3.0, 9.0), raising=False)
    assert environment.patience(120, jobs=1) == 360
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert environment.patience(120, jobs=2) == environment.patience(120) == 120
