"""The wheel of a release in a container without this checkout: an ordinary user solves the demo by `uvx`.

Needs an engine: `./run test-deploy tests/deploy/check_wheel.py -s`; `-s` prints the seconds.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tools import release

IMAGE = "python:3.11-slim-bookworm"
GRAPHICS = "libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
INDEXES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX")
"""Of packages, where this machine names them."""
TIMEOUT_S = 1800.0
SCRIPT = f"""set -e
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {GRAPHICS} >/dev/null
pip install --quiet --root-user-action=ignore uv
useradd --create-home --uid 10001 person
cd ~person
line='uvx --quiet --constraints /release/constraints.txt --from $(echo /release/*.whl) millwright'
su person -c "$line --version && $line demo && test -s out/demo/build/README.md && test ! -e run"
"""


def test_demo_of_the_wheel_in_a_container_solves_for_an_ordinary_user(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    release.main(folder)
    options = ["--network", "host", "--volume", f"{folder}:/release:ro"]
    for name in INDEXES:
        options += ["--env", name] if name in os.environ else []
    began_s = time.monotonic()
    done = subprocess.run(
        ["docker", "run", "--rm", *options, IMAGE, "sh", "-c", SCRIPT],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    sys.stderr.write(f"release, packages and demo in a container: {time.monotonic() - began_s:.0f} s\n")
    assert done.returncode == 0, done.stdout[-4000:]
    assert "SOLVED" in done.stdout
