# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what is checked, and what is not as it should be."""
import contextlib
import sys
import time

failures: list[str] = []


def check(what: str, found, wanted) -> None:
    """Stops the step unless something is as it should be."""
    if found != wanted:
        raise AssertionError(f"{what}: {str(found)[:1500]} instead of {str(wanted)[:1500]}")


@contextlib.contextmanager
def step(name: str):
    begun = time.monotonic()
    try:
        yield
    except Exception as error:
        failures.append(name)
        print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        if "-v" in sys.argv:
            import traceback
            traceback.print_exc()
        return
    print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)
