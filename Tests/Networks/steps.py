# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what is checked, and what is not as it should be."""
import contextlib
import sys
import time

failures: list[str] = []


def check(what: str, found, wanted) -> None:
    """Stops the step unless something is as it should be."""
    if found == wanted:
        return
    if isinstance(found, list) and isinstance(wanted, list):
        lost, more = [each for each in wanted if each not in found], [
            each for each in found if found.count(each) > wanted.count(each)]
        raise AssertionError(f"{what}: missing {lost[:20]}, too many {more[:20]}, of {len(wanted)}"
                             f"{'' if lost or more else ', another order: ' + str(found)[:800]}")
    raise AssertionError(f"{what}: {str(found)[:1500]} instead of {str(wanted)[:1500]}")


@contextlib.contextmanager
def step(name: str, needed: bool = False):
    """A step; if others need it, none follow when it fails."""
    begun = time.monotonic()
    try:
        yield
    except Exception as error:
        failures.append(name)
        print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        if "-v" in sys.argv:
            import traceback
            traceback.print_exc()
        if needed:
            raise SystemExit(1)
        return
    print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)
