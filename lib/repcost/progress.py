"""The one progress bar of the library: whatever takes `progress=True` shows this."""

from collections.abc import Iterable
from typing import Any


def bar(
    items: Iterable | None = None,
    *,
    wanted: bool,
    what: str,
    total: int | None = None,
    done: int = 0,
    unit: str = "it",
) -> Any:
    """A bar over `items`, or one to be moved by `.update(n)`; a silent one unless `wanted`.

    It is a context manager and an iterable, has `.set_postfix_str`, and is cleared when it is done.

    >>> [square for square in bar([1, 4, 9], wanted=False, what="squares")]
    [1, 4, 9]
    """
    # Imported here, as few calls show a bar. The notebook's own bar complains where its widgets are
    # missing, so it is asked for only by those who want one.
    if wanted:
        from tqdm.auto import tqdm
    else:
        from tqdm import tqdm

    return tqdm(
        items,
        disable=not wanted,
        desc=what,
        total=total,
        initial=done,
        unit=unit,
        leave=False,
    )
