"""How long each fault lasts: a few seconds in every test run, or a minute in a soak."""

from typing import NamedTuple


class Form(NamedTuple):
    """The lengths of all cases.

    Attributes:
        exact: Whether times are held against what the project promises; else only against what
            even a busy machine can do.
        worker_seconds: For which a worker is killed every `worker_interval`.
        keeper_kills: One every `keeper_interval`.
        stopped: Seconds for which a worker is stopped.
        noise: Seconds of garbage.
        calm: Seconds of the same load without a fault, to compare with.
        restarts: Libraries that are restarted one after the other.
        rounds: How often a gateway is killed or restarted.
    """

    exact: bool
    worker_seconds: float
    worker_interval: float
    keeper_kills: int
    keeper_interval: float
    stopped: float
    noise: float
    calm: float
    restarts: int
    rounds: int


SHORT = Form(
    exact=False,
    worker_seconds=4,
    worker_interval=1,
    keeper_kills=2,
    keeper_interval=2.5,
    stopped=4,
    noise=3,
    calm=1.5,
    restarts=1,
    rounds=1,
)

LONG = Form(
    exact=True,
    worker_seconds=60,
    worker_interval=1,
    keeper_kills=12,
    keeper_interval=5,
    stopped=10,
    noise=60,
    calm=10,
    restarts=8,
    rounds=5,
)
