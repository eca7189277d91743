# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the two files of an ONNX export compute what the run does.

golden      two chunks of golden.safetensors, the second going on from the first
any size    T in 1, 7, 64, 300 and B in 1, 5, against model.py in float64
streamed    model.onnx step by step against sequence.onnx at once
fp32 is onnxruntime, fp64 onnx.reference with the float64 form of the file."""
from dataclasses import dataclass, field

import numpy
import onnx
import onnx_codes
import torch
from onnx_models import NUMBERS, Runner, carried, distance, in_double
from onnx.reference import ReferenceEvaluator

LENGTHS, BATCHES = (1, 7, 64, 300), (1, 5)
CLOSE = {"fp32": 1e-4, "fp64": 1e-6}
MANY = 64  # constants of a file are float32: what fp64 is off adds up, so its bound grows with the steps from here on
SAME = 1e-6  # streamed and at once: the same operators on the same numbers
DTYPES = {"fp32": torch.float32, "fp64": torch.float64}


@dataclass
class Proof:
    """The worst deviation of each form, relative to 1 or to the largest number of an output, and what is not as it should be."""

    worst: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)
    codes: int = 0  # compared, of models that round
    differ: int = 0  # beside a middle
    followed: int = 0  # steps that files were held to with their own codes
    steps: int = 0

    def note(self, form, deviation, bound, where=""):
        self.worst[form] = max(self.worst.get(form, 0.0), deviation)
        if not deviation < bound:
            self.faults.append(f"{form}{where}: {deviation:.2g}, expected below {bound:g}")

    def note_codes(self, form, own):
        self.codes, self.differ = self.codes + own.count, self.differ + own.differ
        self.faults += [f"{form}: {fault}" for fault in own.faults]


class Files:
    """The evaluators of an export: each file in float32, the sequence in float64, and of a model that rounds the sequence given its codes."""

    def __init__(self, exported):
        self.exported = exported
        self.step, self.sequence = (Runner.of_file(exported.onnx / name) for name in ("model.onnx", "sequence.onnx"))
        self.runners = {"fp32": self.sequence, "fp64": Runner.in_double(exported.onnx / "sequence.onnx")}
        self.given, self.sites = {}, 0
        if exported.rounds:
            model = onnx.load(exported.onnx / "sequence.onnx")
            changed, self.sites = onnx_codes.given_codes(model)
            double = in_double(changed)
            self.given = {"fp32": Runner.of_bytes(changed), "fp64": Runner(double, ReferenceEvaluator(double))}


def are_sound(exported, proof):
    for name in ("model.onnx", "sequence.onnx"):
        model = onnx.load(exported.onnx / name)
        onnx.checker.check_model(model, full_check=True)
        said = {entry.key for entry in model.metadata_props}
        if model.ir_version != 8 or [(each.domain, each.version) for each in model.opset_import] != [("", 17)]:
            proof.faults.append(f"{name}: expected IR 8 and operator set 17 alone")
        if model.producer_name != "Unroll" or not said >= {"step", "title"}:
            proof.faults.append(f"{name}: says too little of where it is from")
    weights = (exported.folder / "weights.safetensors").stat().st_size
    if (exported.onnx / "sequence.onnx").stat().st_size > 2 * weights + 100_000:
        proof.faults.append("sequence.onnx: as large as if its steps were written out")


def until(told, wanted, first, name):
    """Both, of the steps before `first` of each sequence alone."""
    kept = numpy.arange(len(wanted[name]))[:, None] < first[None, :]
    cut = {name: told[name][kept]}, {name: wanted[name][kept]}
    return cut if kept.any() else None


def compare(files, proof, form, kind, sequences, inputs, wanted, codes, where=""):
    """One run of sequence.onnx against what is wanted; gives the run whose states go on. Of a model that rounds, with the codes of the
    reference; and with its own up to the step where one of them differs."""
    told = files.runners[kind](sequences, inputs)
    bound = CLOSE[kind] * (max(1, len(inputs[files.exported.read]) / MANY) if kind == "fp64" else 1)
    if not codes:
        proof.note(form, distance(told, wanted), bound, where)
        return told
    if len(codes) != files.sites:
        proof.faults.append(f"{form}: {files.sites} places of the file round, expected {len(codes)}")
        return told
    name, held = files.exported.told, files.given[kind](sequences, {**inputs, **{f"code.{i}": each for i, each in enumerate(codes)}})
    proof.note(form, distance(held, wanted), bound, where)
    own = onnx_codes.OwnCodes(held, codes, kind)
    proof.note_codes(form, own)
    proof.followed, proof.steps = proof.followed + int(own.first.sum()), proof.steps + own.first.size * len(codes[0])
    free = until(told, wanted, own.first, name)
    if free:
        proof.note(form, distance(*free), bound, f"{where} with its own codes")
    return held


def golden_codes(exported, module, model, kind, chunk, states):
    """The codes of a golden chunk, and the states after it: model.py with the roundings of the golden run."""
    golden = {name: torch.from_numpy(value) for name, value in exported.golden.items()}
    turning = module.Rounding(golden[f"{kind}.{chunk}.rounded"], {"fp64": 1e-9, "fp32": 1e-4}[kind])
    given = [*module.golden_inputs(model, golden, chunk), states]
    (_, _, after), codes = onnx_codes.of_model(model, given, given[0].shape[1], turning)
    return codes, after


def golden(files, proof, kind):
    exported, given, states, chunk = files.exported, {}, None, 0
    module = exported.module()
    model = module.load(dtype=DTYPES[kind])
    while f"{chunk}.{exported.read}" in exported.golden:
        inputs = {name: exported.golden[f"{chunk}.{name}"] for name in (exported.read, "mask") if f"{chunk}.{name}" in exported.golden}
        wanted = {exported.told: exported.golden[f"{kind}.{chunk}.{exported.told}"]}
        prefix = f"{kind}.{chunk}.state."
        wanted |= {"next." + name[len(prefix):]: value for name, value in exported.golden.items() if name.startswith(prefix)}
        codes = None
        if exported.rounds:
            codes, states = golden_codes(exported, module, model, kind, chunk, states)
        told = compare(files, proof, f"golden {kind}", kind, 3, {**inputs, **given}, wanted, codes, f", chunk {chunk}")
        given, chunk = carried(told), chunk + 1
    assert chunk == 2


def any_size(files, proof, kind, lengths=LENGTHS):
    exported, steps = files.exported, max(lengths)
    inputs = exported.random_inputs(steps, max(BATCHES))
    whole, codes = exported.by_torch(inputs)
    for T in lengths:
        for B in BATCHES:
            wanted = {exported.told: whole[exported.told][:T, :B]}
            if T == steps:
                wanted |= {name: value[:B] for name, value in whole.items() if name.startswith("next.")}
            cut = [each[:T, :B] for each in codes] if codes else None
            compare(files, proof, f"any size {kind}", kind, B, {exported.read: inputs[:T, :B]}, wanted, cut, f", T = {T}, B = {B}")


def streamed(files, proof, steps=64):
    exported = files.exported
    for B in BATCHES:
        inputs = exported.random_inputs(steps, B)
        whole, given, told = files.sequence(B, {exported.read: inputs}), {}, []
        for t in range(steps):
            one = files.step(B, {exported.read: inputs[t], **given})
            told.append(one[exported.told])
            given = carried(one)
        ends = {"next" + name[5:]: value for name, value in given.items()}
        proof.note("streamed", distance({exported.told: numpy.stack(told), **ends}, whole), SAME, f", B = {B}")


def proof_of(exported, lengths=LENGTHS, in_double=None):
    """`in_double`: the lengths for onnx.reference, which walks in Python; as `lengths` where they are not given."""
    proof = Proof()
    are_sound(exported, proof)
    files = Files(exported)
    for kind in ("fp32", "fp64"):
        golden(files, proof, kind)
        any_size(files, proof, kind, in_double or lengths if kind == "fp64" else lengths)
    streamed(files, proof, min(64, max(lengths)))
    return proof
