"""What became of a fault at a check, in one letter, and in which role it reached it."""

from collections.abc import Mapping, Sequence

from repcost_book.trials.doubt.comparing import has_changed
from repcost_book.trials.doubt.faults import Fault
from repcost_book.trials.doubt.recorder import Row
from repcost_book.trials.doubt.slices import Checking
from repcost_book.trials.doubt.world import Came

NOTICED = "N"  # the claim fails
REFUTED = "C"  # a wrong formula passes, so the check fails
SURVIVED = "S"  # what is measured has changed, and the check passes
SAFE = "L"  # the same, to the safe side: less is measured
OWN = "X"  # the chapter raised by itself: no number has told anything
ABSORBED = "A"  # what is measured is the same
RAISED = "R"  # something broke: any code notices a wrong shape
TIMED_OUT = "T"
UNREACHED = "U"  # behind a statement that is too slow to be executed again
NONE = "-"  # no fault of this check


def outcome(old: Row, new: Row, fault: Fault) -> str:
    """What became of it where the check was executed again."""
    # At another seed a claim may fail without a fault.
    if not old.holds:
        return NONE
    if not new.holds:
        return NOTICED
    if old.refutes and not new.refutes:
        return REFUTED
    if fault.weakens:
        pairs = zip(old.wrong, new.wrong, strict=False)
        moved = any(has_changed(*pair) for pair in pairs)
        # Without a wrong formula to run it against nothing is known.
        return SURVIVED if moved else NONE
    # Cases may have been filtered away, until what is left passes.
    if old.cases != new.cases:
        return SURVIVED
    if has_changed(old.worst, new.worst):
        return SAFE if new.worst < old.worst else SURVIVED
    return ABSORBED


def outcomes(
    fault: Fault, came: Came, checks: Sequence[Checking], base: Mapping[int, Sequence[Row]]
) -> str:
    """A letter for each row of each check."""
    letters = []
    for check in checks:
        rows, new = base[check.number], came.rows.get(check.number, ())
        for place, row in enumerate(rows):
            if fault.statement not in check.all:
                letters.append(NONE)
            elif new is None or (new and place >= len(new)):
                letters.append(OWN if came.own else RAISED)
            elif new:
                letters.append(outcome(row, new[place], fault))
            else:
                letters.append(UNREACHED if came.unreached & check.all else ABSORBED)
    return "".join(letters)


def roles(
    fault: Fault,
    came: Came,
    checks: Sequence[Checking],
    base: Mapping[int, Sequence[Row]],
    meetings: Mapping[int, Sequence[int]],
    bodies: set[int],
) -> str:
    """F, M or D for each row of each check.

    bodies: the statements that only define functions: what is wrong there is no data.
    """
    letters = []
    for check in checks:
        new = came.rows.get(check.number) or ()
        for place, row in enumerate(base[check.number]):
            asked = bool(row.asked) and place < len(new) and new[place].asked != row.asked
            letters.append(_role(fault, came, check, asked, meetings[check.number], bodies))
    return "".join(letters)


def _role(
    fault: Fault,
    came: Came,
    check: Checking,
    asked: bool,
    meetings: Sequence[int],
    bodies: set[int],
) -> str:
    at = fault.statement
    if at not in check.all:
        return NONE
    if fault.weakens:
        return "M"
    if check.has_formula:
        return _role_by_signature(fault, check, asked, at in bodies)
    both = any({(place, 0), (place, 1)} <= came.moved for place in meetings)
    return "D" if fault.is_drawn or both else "M"


def _role_by_signature(fault: Fault, check: Checking, asked: bool, is_body: bool) -> str:
    at = fault.statement
    if at == check.number:
        in_formula = any(("args", 3) in path for path, _ in fault.edits)
        return "F" if in_formula else "M"
    in_formula, in_measure = at in check.formula, at in check.measure
    if in_formula and in_measure:
        return "D"
    # What the formula is asked reaches it through the measurement, unless that is what is wrong.
    if fault.is_drawn or (asked and not is_body):
        return "D"
    return "F" if in_formula else "M"
