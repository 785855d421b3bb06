"""``python -m tools.pictures [NAME…]``: writes docs/pictures anew, from what commands print.

The demo takes a minute, and is drawn as it went on this machine.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tools.own_environments.environments import ROOT
from tools.pictures import picture, printed

PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 110
COMMANDS = {
    "check": "sagemaker-serving check environments/dev.yaml",
    "demo": "make demo",
}
WITH_MISTAKES = """\
name: dev
region: eu-west-1
models:
  digits:
    artifact: {s3: s3://models/digits.tar.gz}
    framework: tensorflow
    framework_version: "2.20"
    batching: {max_batch_size: 16, batch_timout_micros: 2000}
    variants:
      - {name: cpu, instance_type: ml.t3.medium}
    scaling: {cpu: {min: 4, max: 2, invocations_per_instance: 300}}
"""


def main() -> None:
    """Draws the named pictures, all by default."""
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    for name in parser.parse_args().names or COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            environments = Path(folder) / "environments"
            environments.mkdir()
            (environments / "dev.yaml").write_text(WITH_MISTAKES)
            text = printed(
                COMMANDS[name].split(), ROOT if name == "demo" else Path(folder), COLUMNS, {}
            )
        text = f"$ {COMMANDS[name]}\n{text}"
        target = PICTURES / f"{name}.svg"
        target.write_text(picture(name, COMMANDS[name], text, COLUMNS), encoding="utf-8")
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
