#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the programs of networks with real servers: check.py [--short] [matrix] [deltachat] [hobnob]
[encryption].
The libraries are in .build/networks-venv; check.py --install only installs them."""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(HERE, "..", "..", ".build", "networks-venv")
PACKAGES = ["matrix-nio[e2e]", "matrix-synapse", "deltachat-rpc-server", "deltachat-rpc-client",
            "aiosmtpd", "jsonschema"]


def use_packages() -> None:
    """Goes on with the Python that has the servers and libraries, which are installed once."""
    python = os.path.join(VENV, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(VENV):
        return
    if not os.path.exists(VENV + "/ready"):
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-compile", *PACKAGES], check=True)
        open(VENV + "/ready", "w").close()
    if "--install" in sys.argv:
        sys.exit()
    os.execv(python, [python, *sys.argv])


def main() -> int:
    import steps
    names = [name for name in sys.argv[1:] if not name.startswith("-")] or [
        "matrix", "deltachat", "hobnob", "encryption"]
    for name in names:
        print(f"== {name}", flush=True)
        module = __import__("check_" + name)
        folder = tempfile.mkdtemp(prefix=f"hobnob-{name}-")
        (module.short if "--short" in sys.argv else module.long)(folder)
        if not steps.failures and "--keep" not in sys.argv:
            shutil.rmtree(folder)
        else:
            print(f"its files are in {folder}")
    return 1 if steps.failures else 0


if __name__ == "__main__":
    use_packages()
    sys.path.insert(0, HERE)
    import servers
    code = 1
    try:
        code = main()
    except Exception:
        traceback.print_exc()
    finally:
        for server in list(servers.running):
            server.stop()
        sys.stdout.flush()
        os._exit(code)  # whatever threads are left
