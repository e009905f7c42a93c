"""An inspector in the place of ``shard inspect``: what it does stands in the file it is given."""

import json
import os
import signal
import sys
import threading
from pathlib import Path


def main() -> None:
    """Print the report in the file, or come to the end that the file asks for."""
    path = Path(sys.argv[-1])
    wish = json.loads(path.read_text())
    if "signal" in wish:
        os.kill(os.getpid(), getattr(signal, wish["signal"]))
    if "hang" in wish:
        threading.Event().wait()
    if "complaint" in wish:
        sys.exit(wish["complaint"])
    sys.stdout.write("a library may print here\n")
    sys.stdout.write(json.dumps({"path": str(path), "checked": "--check" in sys.argv, **wish}))


if __name__ == "__main__":
    main()
