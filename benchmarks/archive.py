"""Packing a 500 MB model beside what others use, and synth with a 2.5 GB archive."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cost import MB, cost_of
from benchmarks.figures import Figure, Ratio

COMMAND = str(Path(sys.executable).parent / "sagemaker-serving")
TARFILE = """
import sys, tarfile
with tarfile.open(sys.argv[2], "w:gz") as archive:
    archive.add(sys.argv[1], arcname=".")
"""
SAVE = """
import sys, tempfile
from pathlib import Path
import numpy as np
import tensorflow as tf

MB = 1_000_000
floats, sparse, text = map(int, sys.argv[2:])
generator = np.random.default_rng(0)

def sparse_weights():
    values = generator.integers(0, 1000, MB // 4, dtype=np.int32)
    return (values * (generator.random(MB // 4) < 0.05)).astype(np.int32)

class Model(tf.Module):
    def __init__(self, vocabulary):
        self.floats = [tf.Variable(generator.standard_normal(MB // 4, dtype=np.float32))
                       for _ in range(floats)]
        self.sparse = [tf.Variable(sparse_weights()) for _ in range(sparse)]
        self.vocabulary = tf.saved_model.Asset(vocabulary)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def __call__(self, x):
        return {"y": x * self.floats[0][0]}

with tempfile.TemporaryDirectory() as folder:
    words = np.array([f"word{n:x} " for n in generator.integers(0, 1 << 24, 20_000)])
    vocabulary = Path(folder, "vocabulary.txt")
    with vocabulary.open("w") as file:
        for _ in range(text):
            file.write("".join(generator.choice(words, MB // 8))[:MB].ljust(MB))
    model = Model(str(vocabulary))
    tf.saved_model.save(model, sys.argv[1], signatures=model.__call__)
"""
"""Weights that hardly shrink, weights that shrink well, and a vocabulary."""
INFLATE = """
import sys
from isal import igzip
with igzip.open(sys.argv[1], "rb") as stream:
    while stream.read(1 << 18):
        pass
"""
SYNTH = """
import sys, time
import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from sagemaker_serving.infra import ModelData
stack = cdk.Stack(cdk.App(outdir=sys.argv[1]), "Stack")
role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"))
began, used = time.perf_counter(), time.process_time()
if len(sys.argv) > 2:
    from pathlib import Path
    from sagemaker_serving.archive import known_contents
    known_contents(Path(sys.argv[2]))
    ModelData.from_path(sys.argv[2]).bind(stack, role)
stack.node.root.synth()
print(time.perf_counter() - began, time.process_time() - used)
"""


def measure() -> Iterator[Figure | Ratio]:
    """Seconds, sizes and memory of each, and their ratios, all in this one run."""
    yield "load before (1 minute)", f"{os.getloadavg()[0]:.2f}"
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        model = scratch / "model"
        _write_model(model / "m" / "1", floats=350, sparse=70, text=80)
        yield from _packing(scratch, model)
        yield from _synth(scratch)
    yield "load after (1 minute)", f"{os.getloadavg()[0]:.2f}"


def _packing(scratch: Path, model: Path) -> Iterator[Figure | Ratio]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(scratch / "cache")}
    ours, again = scratch / "ours.tar.gz", scratch / "again.tar.gz"
    beside = scratch / "tarfile.tar.gz"
    # Once before, so that every contender reads the model from memory.
    cost_of([COMMAND, "package", str(model), "-o", str(again)], _without_cache())
    runs = [
        cost_of([COMMAND, "package", str(model), "-o", str(ours)], _without_cache())
        for _ in range(3)
    ]
    packing = sorted(runs, key=lambda run: run.seconds)[1]
    yield "package 500 MB, median of 3", str(packing)
    same = "yes" if ours.read_bytes() == again.read_bytes() else "NO"
    for name, wanted, command in (
        ("tarfile w:gz", 20, [sys.executable, "-c", TARFILE, str(model), str(beside)]),
        ("tar czf", 12, ["tar", "czf", str(scratch / "tar.tar.gz"), "-C", str(model), "."]),
    ):
        theirs = cost_of(command, environment)
        yield name, f"{theirs}: {theirs.cpu_seconds / packing.cpu_seconds:.1f} times the CPU"
        times = theirs.seconds / packing.seconds
        yield Ratio(name=f"{name}, times as long", value=times, at_least=wanted)
    size, their_size = ours.stat().st_size, beside.stat().st_size
    yield "size", f"{size / MB:.1f} MB; tarfile's {their_size / MB:.1f} MB"
    yield Ratio(name="size, of tarfile's", value=size / their_size, at_most=1.01)
    yield "byte-identical on repeat", same
    time.sleep(2.5)  # what was written just now is not trusted yet
    cost_of([COMMAND, "package", str(model), "-o", str(ours)], environment)
    rebuild = cost_of([COMMAND, "package", str(model), "-o", str(ours)], environment)
    yield "rebuild, unchanged", str(rebuild)
    yield "inspect the archive", str(cost_of([COMMAND, "inspect", str(again)], environment))
    bare = [sys.executable, "-c", INFLATE, str(again)]
    yield "decompression alone", str(cost_of(bare, environment))


def _synth(scratch: Path) -> Iterator[Figure]:
    model = scratch / "large"
    _write_model(model / "m" / "1", floats=1750, sparse=350, text=400)
    archive = scratch / "large.tar.gz"
    cost_of([COMMAND, "package", str(model), "-o", str(archive)], _without_cache())
    time.sleep(2.5)
    environment = {
        **os.environ,
        "CDK_VALIDATION": "false",
        "XDG_CACHE_HOME": str(scratch / "cache"),
    }
    bare, bare_cpu = _synth_seconds(scratch / "out0", environment)
    yield "synth of an empty stack", f"{bare:.2f} s"
    for source, word in ((archive, "archive"), (model, "folder")):
        out = scratch / f"out-{word}"
        for which in ("first", "second", "third"):
            seconds, cpu = _synth_seconds(out, environment, str(source))
            added = f"{seconds - bare:.2f} s, {cpu - bare_cpu:.2f} s of CPU"
            yield f"a 2.5 GB {word} adds, {which} time", added
            time.sleep(2.5)
    (asset,) = (scratch / "out-archive").glob("asset.*.tar.gz")
    yield "second copy on disk", "no" if asset.samefile(archive) else "YES"


def _synth_seconds(out: Path, environment: dict[str, str], *arguments: str) -> tuple[float, float]:
    command = [sys.executable, "-c", SYNTH, str(out), *arguments]
    ended = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds, cpu = ended.stdout.split()[-2:]
    return float(seconds), float(cpu)


def _write_model(folder: Path, *, floats: int, sparse: int, text: int) -> None:
    """Saved by TensorFlow, in a process of its own: the sizes are MB."""
    sizes = [str(size) for size in (floats, sparse, text)]
    command = [sys.executable, "-c", SAVE, str(folder), *sizes]
    subprocess.run(command, check=True, capture_output=True)


def _without_cache() -> dict[str, str]:
    return {**os.environ, "SAGEMAKER_SERVING_CACHE_BYTES": "0"}
