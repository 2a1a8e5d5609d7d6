"""From letters to numbers: what each check noticed, and why one is below the bar."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from repcost_book.pages.doubted import Score, Survivor, Tested
from repcost_book.trials.doubt.outcomes import (
    ABSORBED,
    NONE,
    NOTICED,
    OWN,
    RAISED,
    REFUTED,
    SAFE,
    SURVIVED,
    TIMED_OUT,
    UNREACHED,
)

# The bar.
LEAST_SCORE, LEAST_REACH, MOST_SLACK, DIFFERENT = 0.8, 0.2, 100.0, 5
SCORED = "FM"
FAILED, PASSED = NOTICED + REFUTED, SURVIVED + SAFE + OWN
# Two checks are twins if so many faults reach both, and so much of what reaches either.
COMMON, MOSTLY = 8, 0.6

Letters = Mapping[str, str]


def tested(
    checks: Sequence[Mapping[str, Any]],
    faults: Mapping[str, Mapping[str, Any]],
    came: Mapping[str, Mapping[str, Any]],
    measured: Sequence[Sequence[float]],
) -> list[Tested]:
    """Each check, with its numbers.

    faults: about each fault; came: its letters, a check after the other, and its roles.
    measured: what the checks measured, seed by seed.
    """
    fates = [_letters(place, came, True) for place in range(len(checks))]
    twins = _twins(fates)
    found = []
    for place, check in enumerate(checks):
        told = counted(fates[place], faults)
        data = sum(letter in FAILED for letter in _letters(place, came, False).values())
        slack = _slack(check, [worst[place] for worst in measured if len(worst) == len(checks)])
        score = Score(told["noticed"], told["survived"], told["absorbed"], told["raised"])
        short = _falls_short(check, score, told["different"], slack, twins.get(place))
        about = {**told, "data": data, "slack": slack, "falls_short": tuple(short)}
        found.append(Tested(check["statement"], check["claim"], **about))
    return found


def survivors(
    faults: Mapping[str, Mapping[str, Any]],
    came: Mapping[str, Mapping[str, Any]],
) -> list[Survivor]:
    """What survived, and at which check."""
    found = []
    places = len(next(iter(came.values()))["came"]) if came else 0
    for place in range(places):
        letters = _letters(place, came, True)
        kept = _once(letters, faults)
        for key in [key for key, letter in kept.items() if letter in PASSED]:
            found.append(Survivor(key, place, faults[key]["kind"], faults[key]["text"]))
    return found


def counted(letters: Letters, faults: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """How many were noticed, survived, were absorbed, broke something."""
    once = _once(letters, faults)
    told = Counter(once.values())

    def count(wanted: str) -> int:
        return sum(told[letter] for letter in wanted)

    noticed = {key for key, letter in once.items() if letter in FAILED}
    return {
        "noticed": count(FAILED),
        "survived": count(PASSED),
        "absorbed": count(ABSORBED),
        "raised": count(RAISED + TIMED_OUT + UNREACHED),
        "by_wrong": count(REFUTED),
        "different": len({(faults[key]["statement"], faults[key]["kind"]) for key in noticed}),
    }


def _once(letters: Letters, faults: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Both directions of a fault as one, where one of them is the safe side.

    A claim that something is at most a bound cannot notice what makes it smaller still.
    """
    found = dict(letters)
    for key, letter in letters.items():
        other = faults[key]["pair"]
        if letter == SAFE and found.get(other, NONE) in FAILED + SURVIVED + SAFE:
            del found[key]
    return found


def _letters(place: int, came: Mapping[str, Mapping[str, Any]], scored: bool) -> dict[str, str]:
    """What became of each fault at one check, of those in a role that is scored, or is not."""
    found = {}
    for key, told in came.items():
        role, letter = told["roles"][place], told["came"][place]
        # Nothing is known of the role of what did not come to its end.
        wanted = (role in SCORED or role == NONE) if scored else role == "D"
        if wanted and letter != NONE:
            found[key] = letter
    return found


def _slack(check: Mapping[str, Any], measured: Sequence[float]) -> float | None:
    """The bound over the largest value; exact arithmetic and bounds of zero have none."""
    largest = max((abs(worst) for worst in measured), default=0.0)
    return check["at_most"] / largest if check["at_most"] > 0 and largest > 0 else None


def _falls_short(
    check: Mapping[str, Any],
    score: Score,
    different: int,
    slack: float | None,
    twin: int | None,
) -> list[str]:
    told = []
    if score.score is not None and score.score < LEAST_SCORE:
        told.append(f"{score.score:.0%} noticed")
    if different < DIFFERENT:
        told.append(f"{different} different faults noticed")
    if score.reach is not None and score.reach < LEAST_REACH and not check["because"]:
        told.append(f"{score.reach:.0%} reach")
    if slack is not None and slack > MOST_SLACK:
        told.append(f"slack {slack:.0e}")
    if twin is not None:
        told.append(f"twin of check {twin + 1}")
    if check["literal"] and not check["because"]:
        told.append("no answer of the library, no draw, no search")
    return told


def _twins(fates: Sequence[Letters]) -> dict[int, int]:
    """Of a check the first before it that has the same fate under every fault."""
    found = {}
    for place, fate in enumerate(fates):
        before = (other for other in range(place) if _are_twins(fate, fates[other]))
        if (twin := next(before, None)) is not None:
            found[place] = twin
    return found


def _are_twins(one: Letters, other: Letters) -> bool:
    common = one.keys() & other.keys()
    enough = len(common) >= max(COMMON, MOSTLY * max(len(one), len(other)))
    return enough and all(one[key] == other[key] for key in common)
