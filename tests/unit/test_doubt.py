"""Doubt on tiny chapters: what it must find in checks, and that it can be trusted itself."""

import pytest

from repcost_book.trials.doubt.scores import Score
from tests.doubted_chapters import GOOD, NUMBERS, doubting, scored

# The machine itself


@pytest.mark.parametrize("cells", [GOOD, NUMBERS])
def test_null_faults_change_nothing(cells):
    chapter = doubting(*cells)
    reached = sorted(chapter.subject.reached())
    assert len(reached) >= 3
    assert [chapter.null(number) for number in reached] == [""] * len(reached)


def test_a_state_that_is_hidden_is_told_by_the_null_faults():
    counting = "def counted(seen=[]):\n    seen.append(1)\n    return len(seen) * 1e-20"
    check = "check('a/b', 'a claim', counted(), at_most=1, wrong={'b': 100})"
    chapter = doubting(counting, check)
    last = max(chapter.subject.reached())
    assert chapter.null(last) == ""
    # The same, where what is hidden is no noise.
    chapter = doubting(counting.replace("1e-20", "0.01"), check)
    assert "became" in chapter.null(last)


def test_a_fault_moves_no_later_draw():
    _, told = scored(
        doubting(
            "first = rng.normal(0, 1, 3)",
            "later = rng.normal() + 0 * first[0]",
            "worst = abs(later)",
            "check('a/b', 'a claim', worst, at_most=3, wrong={'b': 100})",
        )
    )
    # It draws one number more.
    assert told["constant+", "3"] == "AD"


def test_values_changed_in_place_are_as_they_were():
    chapter = doubting(
        "seen = []",
        "seen.append(1.0)",
        "first = sum(seen) - 1",
        "seen.append(5.0)",
        "check('a/b', 'a claim', abs(first) + abs(sum(seen) - 6), at_most=0, wrong={'b': 1})",
    )
    reached = sorted(chapter.subject.reached())
    assert [chapter.null(number) for number in reached] == [""] * len(reached)


# What it finds


def test_a_good_check_notices():
    check, told = scored(doubting(*GOOD))
    found = Score.of([check])
    assert found.score is not None and found.score >= 0.95
    assert check.different >= 10 and not check.falls_short
    assert told["answer+", "net.path_norm"] == "NM"
    assert told["exponent+", "np.abs(net.a) ** power"] == "NF"
    assert told["constant+", "1.0"] == told["constant-", "1.0"] == "NF"


def test_roles_follow_the_signature_and_the_data():
    _, told = scored(doubting(*GOOD))
    product = "np.abs(net.a) ** power * np.sqrt(np.sum(net.W ** 2, axis=1))"
    assert {fate[1] for (kind, text), fate in told.items() if "normal" in text} <= {"D"}
    assert told["operator /", "net.path_norm / formula(net)"][1] == "M"
    assert told["operator *", product][1] == "F"


def test_numbers_have_roles_too():
    _, told = scored(doubting(*NUMBERS))
    assert told["answer+", "net.path_norm"] == "NM"
    assert told["exponent+", "np.abs(net.a) ** power"] == "NM"


def test_an_example_is_data_only_where_both_sides_have_it():
    _, told = scored(
        doubting(
            "net = TwoLayer([[3.0, 4.0]], [2.0])",
            "known = 10.0",
            "by_hand = abs(net.a[0]) * 5",
            "worst = max(abs(net.path_norm - known), abs(net.path_norm - by_hand))",
            "check('a/b', 'a claim', worst, at_most=1e-12, wrong={'b': 1})",
        )
    )
    assert told["constant+", "10.0"] == "NM" and told["constant+", "5"] == "NM"
    assert told["constant+", "2.0"][1] == "D"


def test_a_value_compared_with_itself_notices_nothing():
    check, told = scored(
        doubting(
            *GOOD[:1],
            "value = sum(net.path_norm for net in nets)",
            "check('a/b', 'a claim', abs(value - value), at_most=1e-12, wrong={'b': 1})",
        )
    )
    assert told["answer+", "net.path_norm"] == "AD"
    # What is seen is the difference itself being another operation, three times.
    assert check.falls_short == ("3 different faults noticed",)


def test_a_vacuous_check_survives_or_absorbs_everything():
    check, _ = scored(
        doubting(
            *GOOD[:1],
            "worst = min(0, *(net.path_norm * 1e-9 for net in nets))",
            "check('a/b', 'a claim', worst, at_most=0, wrong={'b': 1})",
        )
    )
    # Whoever drops the smaller one is noticed, and nobody else.
    assert check.different < 5 and check.absorbed > check.noticed
    assert "different faults noticed" in " ".join(check.falls_short)


def test_cases_filtered_by_what_is_measured_have_survived():
    cells = (
        *GOOD[:1],
        "kept = [net for net in nets if net.path_norm < 5 + 2]",
        "worst = max((net.path_norm for net in kept), default=0) - 7",
        "check('a/b', 'a claim', worst, at_most=0, wrong={'b': 1}, cases=len(kept))",
    )
    check, told = scored(doubting(*cells))
    assert told["operator +", "5 + 2"][0] == "S"
    assert check.survived > 0


def test_prices_that_may_be_anything_are_found_by_noise():
    check, told = scored(
        doubting(
            "net = TwoLayer([[1.0], [2.0]], [1.0, 1.0])",
            "price = net([[1.0], [2.0]])",
            "worst = 1 / (2 + price @ price) - 1",
            "check('a/b', 'a claim', worst, at_most=0, wrong={'b': 1})",
        )
    )
    assert told["answer noise", "net([[1.0], [2.0]])"][0] in "SL"
    assert Score.of([check]).score is not None and "noticed" in " ".join(check.falls_short)


def test_an_exception_of_the_chapter_is_a_survivor_and_any_other_is_not():
    cells = (
        *GOOD[:1],
        "value = nets[0].path_norm",
        "assert value == nets[0].path_norm, 'by hand'",
        "def sound(value):\n    if value < 0:\n"
        "        raise ValueError('negative')\n    return value",
        "worst = sound(value) - value + np.ones(2) @ np.ones(2) - 2",
        "check('a/b', 'a claim', worst, at_most=0, wrong={'b': 1})",
    )
    check, told = scored(doubting(*cells))
    assert told["comparison turned", "value < 0"][0] == "X"
    broken = {fate[0] for (kind, _), fate in told.items() if kind == "index"}
    assert "X" not in broken and check.survived >= 1


def test_two_directions_are_one_fault_where_one_is_the_safe_side():
    _, told = scored(
        doubting(
            *GOOD[:1],
            "least = min(net.path_norm for net in nets)",
            "check('a/b', 'a claim', 0.99 * least - nets[0].path_norm, at_most=0, wrong={'b': 1})",
        )
    )
    assert {told["constant+", "0.99"][0], told["constant-", "0.99"][0]} <= set("NLS")


def test_a_weakened_reduction_is_run_against_the_wrong_formulas():
    cells = (
        "x = np.array([1.0, 2.0, 0.0])",
        "check('a/b', 'a claim', np.max(np.abs(x - x[::1])), at_most=0,\n"
        "      wrong={'b': np.max(np.abs(x - x[::-1]))})",
    )
    _, told = scored(doubting(*cells))
    assert told["weakened", "np.max(np.abs(x - x[::1]))"] == "CM"


def test_a_literal_check_is_named():
    cells = "value = 2 * 3 - 6", "check('a/b', 'a claim', value, at_most=0, wrong={'b': 1})"
    check, _ = scored(doubting(*cells))
    assert any("no answer of the library" in said for said in check.falls_short)


# Keys


def test_keys_outlive_edits_of_other_statements():
    before, after = doubting(*GOOD), doubting("new = 3 * 7", GOOD[0], "other = 5", *GOOD[1:])
    assert before.faults.keys() == after.faults.keys() and before.faults
    assert len({*before.faults}) == len(before.faults)


def test_keys_of_an_edited_statement_are_others():
    before = doubting(*GOOD)
    after = doubting(GOOD[0], GOOD[1].replace("**2", "**4"), *GOOD[2:])
    same = before.faults.keys() & after.faults.keys()
    texts = {before.faults[key].text for key in before.faults.keys() - same}
    assert same and any("np.sum" in text for text in texts)
