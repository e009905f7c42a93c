"""Measured figures: tests hand them in, the end of the run prints them."""

from collections.abc import Callable

Figure = Callable[[str, float | str], None]
"""The fixture ``figure``: a name, and a number or a text."""

collected: list[tuple[str, float | str]] = []
"""Figures of this run, in order."""


def table() -> list[str]:
    """Return one line per figure."""
    width = max((len(name) for name, _ in collected), default=0)
    return [
        f"{name:<{width}}  {value:,.3g}"
        if isinstance(value, float)
        else f"{name:<{width}}  {value}"
        for name, value in collected
    ]
