#!/usr/bin/env python3
"""Installs the packages of requirements.txt into an environment of their own, in the folder that is given, and prints as JSON
the interpreter of that environment and, for each package that cannot be installed, why.

    install.py FOLDER
"""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def install(work):
    """A virtual environment with the packages; for each package that is not in it, why."""
    venv = work / "venv"
    python = venv / "bin" / "python"
    requirements = [line.strip() for line in (HERE / "requirements.txt").read_text().splitlines() if line.strip()]
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, text=True)
        if made.returncode != 0:
            reason = (made.stderr or made.stdout).strip().splitlines()[-1:]
            return python, {r.split("==")[0]: f"python3 -m venv failed: {' '.join(reason)}" for r in requirements}
    missing = {}
    for requirement in requirements:
        name = requirement.split("==")[0]
        print(f"installing {requirement}", file=sys.stderr)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", requirement]
        done = subprocess.run(pip, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
            # The reason is written into results, where the name of the package index has no place.
            missing[name] = re.sub(r"https?://\S+|host='[^']*'", "(address)", errors[0])
    return python, missing


if __name__ == "__main__":
    interpreter, reasons = install(Path(sys.argv[1]).resolve())
    print(json.dumps({"python": str(interpreter), "missing": reasons}))
