"""Doubt: faults are put into a chapter, one at a time, and each of its checks must notice.

A chapter runs once, statement by statement, in one process (`world`), and only what some check
depends on (`slices`). A fault is a wrong expression E' in the place of E (`faults`, `rules`,
`answers`). For each of them the process forks from the end of that run, values from before the
faulty statement are put back, it is executed, and then only what reads something that differs.
What each check was given is noted by a `check` of our own (`recorder`), which raises never, and
held against what it was given without the fault (`outcomes`).

Three roles: F, a fault in the formula and in what it alone calls; M, in the measurement and in
what it alone calls; D, in what reaches both. Only F and M are scored: a theorem is true of other
data, too. Null faults, which change nothing, must change nothing: they test this machine.

`work` does this for one chapter in a process of its own and tells lines of JSON; `doubts` starts
such processes, and keeps what they tell.
"""
