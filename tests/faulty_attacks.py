"""Attacks on functions with a known fault each, to see that fuzzing finds it."""

import ctypes
import os
import time

import numpy as np

from repcost_book.trials.fuzz import RIGHT, Attack, WrongError

LIMIT = 100.0
# The case from which on some of these misbehave.
LATE = 3


def _column(rng: np.random.Generator) -> dict:
    return {"x": rng.normal(size=6) * 1000, "y": rng.normal(size=(6, 2)), "depth": 7}


def _numbered(rng: np.random.Generator) -> dict:
    return {"x": int(rng.integers(8))}


def _too_large(x: np.ndarray, y: np.ndarray, depth: int) -> str:
    if depth > 1 and len(x) == len(y) and np.abs(x).max(initial=0.0) > LIMIT:
        raise WrongError(f"{x.max()} is too large")
    return RIGHT


def _refuses(says: str):
    def judge(x: int) -> str:
        raise ValueError(says)

    return judge


def _dies(x: int) -> str:
    if x == LATE:
        os.kill(os.getpid(), 11) if os.name == "posix" else ctypes.string_at(0)
    return RIGHT


def _leaves(x: int) -> str:
    if x == LATE:
        os._exit(0)
    return RIGHT


def _hangs(x: int) -> str:
    if x == LATE:
        time.sleep(600)
    return RIGHT


def _dies_simpler(x: float) -> str:
    """A fault whose simpler cases end the process."""
    if x in (0.0, 1.0):
        os._exit(7)
    raise WrongError("always")


def _is(x: int) -> str:
    return RIGHT


def _cannot_draw(rng: np.random.Generator) -> dict:
    os._exit(9)


ATTACKS = (
    Attack("too_large", _column, _too_large, "too_large(x, y, depth=depth)"),
    Attack("names_nothing", _numbered, _refuses("max must be six"), "f(x)"),
    Attack("names_it", _numbered, _refuses("x must be six"), "f(x)"),
    Attack("names_the_keyword", _numbered, _refuses("depth must be six"), "f(depth=x)"),
    Attack("dies", _numbered, _dies, "dies(x)"),
    Attack("leaves", _numbered, _leaves, "leaves(x)"),
    Attack("hangs", _numbered, _hangs, "hangs(x)"),
    Attack("dies_simpler", lambda rng: {"x": rng.normal()}, _dies_simpler, "dies_simpler(x)"),
    Attack("cannot_draw", _cannot_draw, _is, "cannot_draw(x)"),
)
