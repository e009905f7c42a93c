"""A clock that stands still until a test moves it."""


class Clock:
    """Called, it returns ``now``, in seconds."""

    def __init__(self, now: float = 100.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
