"""One rule for the first argument: what is asked of a network takes the network, and no arrays."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from repcost.deep_networks import DeepNet
from repcost.networks import TwoLayer

P = ParamSpec("P")
T = TypeVar("T")


def takes_network(form: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """The same function; who gives it W and a, as once was right, is told to write `form`.

    Python itself would only count the arguments.
    """

    def told(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*args: P.args, **options: P.kwargs) -> T:
            try:
                return function(*args, **options)
            except TypeError:
                # The function refuses wrong networks by a ValueError: this is about the call.
                plain = len(args) > 1 and not isinstance(args[0], TwoLayer | DeepNet)
                if not plain and not {"W", "a"} & options.keys():
                    raise
            raise TypeError(f"{function.__name__} takes a network: write {form}")

        return called

    return told
