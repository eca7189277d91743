// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_text.h"

namespace unroll {

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& signs)
{
    for (const auto& [sign, words] : signs)
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + words.size()))
            text.replace(at, sign.size(), words);
    return text;
}

const char* const kPythonImports = R"py(import json
import math
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn
)py";

const char* const kPythonRoundingImport = "from torch.overrides import TorchFunctionMode\n";

const char* const kPythonNumbersImport = "import csv\n";

const char* const kPythonHere = "\nHERE = os.path.dirname(os.path.abspath(__file__))\n";

const char* const kPythonWithin = R"py(def within(states, prefix):
    """The states whose names begin with prefix, under the rest of their names."""
    return {name[len(prefix):]: state for name, state in states.items() if name.startswith(prefix)}
)py";

const char* const kPythonOneEach = R"py(def one_each(targets):
    """[T, B] or [T, B, targets] of which a sequence has one scored entry at most, without T."""
    if targets is None or not targets.is_floating_point():
        return None if targets is None else targets.amax(0)
    most = targets.masked_fill(targets.isnan(), -math.inf).amax(0)
    return most.masked_fill(most == -math.inf, math.nan)
)py";

const char* const kPythonEachStep = R"py(def each_step(*sequences):
    """The steps of sequences [T, B, ...] one after the other, each [1, B, ...]. None stays None at every step."""
    length = next(len(sequence) for sequence in sequences if sequence is not None)
    return zip(*([None] * length if sequence is None else sequence.split(1) for sequence in sequences))
)py";

const char* const kPythonSafetensors =
    R"py(DTYPES = {"BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
          "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}


def read_safetensors(path):
    """{name: tensor} of a safetensors file: the header's length, a JSON header, then the numbers."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        piece = data[begin:end]
        flat = torch.frombuffer(piece, dtype=DTYPES[entry["dtype"]]) if piece else torch.empty(0, dtype=DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def load(folder=HERE, dtype=torch.float32):
    """The trained model, with weights.safetensors of the folder. Every weight must be there, with its shape."""
    model = Model().to(dtype)
    model.load_state_dict(read_safetensors(os.path.join(folder, "weights.safetensors")))
    return model.eval()
)py";

const char* const kPythonGoldenInputs = R"py(def golden_inputs(model, golden, chunk):
    """What Model.forward takes; numbers in the type of the weights."""
    given, dtype = [golden.get(f"{chunk}.{name}") for name in ("@INPUT@", "targets", "mask")], next(model.parameters()).dtype
    return [tensor.to(dtype) if tensor is not None and tensor.is_floating_point() else tensor for tensor in given]
)py";

const char* const kPythonGoldenValues = R"py(def golden_values(model, golden, key):
    """Runs the golden chunks, each with the states of the one before; yields name, our values, theirs."""
    states, chunk = None, 0
    while f"{chunk}.@INPUT@" in golden:
        with torch.no_grad():
            loss, @PREDICTION@, states = model(*golden_inputs(model, golden, chunk), states)
        yield "loss", loss, golden[f"{key}.{chunk}.loss"]
        yield "@PREDICTION@", @PREDICTION@, golden[f"{key}.{chunk}.@PREDICTION@"]
        for node, state in states.items():
            for i, tensor in enumerate(state):
                yield "states", tensor, golden[f"{key}.{chunk}.state.{node}.{i}"]
        chunk += 1
)py";

const char* const kPythonGoldenValuesRounded = R"py(class Rounding(TorchFunctionMode):
    """Rounds a value that lies in the middle between two integers to the one that the golden values were made with: there the last bit decides.
    `table` [N, 3] holds which rounding, which value of it, its integer; a value further than `near` from the middle keeps its own."""

    def __init__(self, table, near):
        super().__init__()
        self.table, self.near, self.roundings, self.turned = table, near, 0, 0

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        rounded = function(*arguments, **(keywords or {}))
        if function not in (torch.round, torch.Tensor.round):
            return rounded
        _, place, integer = self.table[self.table[:, 0] == self.roundings].unbind(1)
        self.roundings += 1
        x = arguments[0].flatten()[place]
        middle = (x - x.floor() - 0.5).abs() < self.near
        flat = rounded.flatten()
        self.turned += int((flat[place] != integer)[middle].sum())
        return flat.index_put((place[middle],), integer[middle].to(flat.dtype)).view_as(rounded)


def golden_values(model, golden, key):
    """Runs the golden chunks, each with the states of the one before; yields name, our values, theirs."""
    states, chunk, near = None, 0, {"fp64": 1e-9, "fp32": 1e-4}[key]
    while f"{chunk}.@INPUT@" in golden:
        given = golden_inputs(model, golden, chunk)
        with torch.no_grad(), Rounding(golden[f"{key}.{chunk}.rounded"], near) as rounding:
            loss, @PREDICTION@, states = model(*given, states)
        if rounding.turned:
            print(f"{key}, chunk {chunk}: {rounding.turned} values within {near:g} of the middle between two integers rounded as in the golden run")
        yield "loss", loss, golden[f"{key}.{chunk}.loss"]
        yield "@PREDICTION@", @PREDICTION@, golden[f"{key}.{chunk}.@PREDICTION@"]
        for node, state in states.items():
            for i, tensor in enumerate(state):
                yield "states", tensor, golden[f"{key}.{chunk}.state.{node}.{i}"]
        chunk += 1
)py";

const char* const kPythonVerify = R"py(def relative_rms(ours, golden):
    """Root mean square of the differences over that of the golden values; infinite for NaN."""
    error = float((ours.double() - golden.double()).square().mean().sqrt() / golden.double().square().mean().sqrt().clamp_min(1e-30))
    return error if error == error else math.inf


def verify(folder=HERE):
    """Compares with golden.safetensors, in double and in single precision; prints the errors. True when all are within their bounds."""
    golden, good = read_safetensors(os.path.join(folder, "golden.safetensors")), True
    for key, dtype, bound in (("fp64", torch.float64, 1e-9), ("fp32", torch.float32, 1e-5)):
        worst = {}
        for name, ours, theirs in golden_values(load(folder, dtype), golden, key):
            worst[name] = max(worst.get(name, 0.0), relative_rms(ours, theirs))
        agrees = max(worst.values()) <= bound
        figures = ", ".join(f"{name} {error:.1e}" for name, error in worst.items())
        print(f"{key}: relative RMS error {figures}; bound {bound:g}: {'ok' if agrees else 'FAILED'}")
        good = good and agrees
    return good
)py";

const char* const kPythonTraining = R"py(def learning_rate(step):
    """Of update `step`, counted from 0: a linear rise, then constant or a cosine."""
    t = TRAINING
    if step < t["warmup"]:
        return t["learning_rate"] * (step + 1) / t["warmup"]
    if t["schedule"] == "constant" or t["steps"] <= t["warmup"]:
        return t["learning_rate"]
    done = min((step - t["warmup"]) / (t["steps"] - t["warmup"]), 1.0)
    return t["final_learning_rate"] + 0.5 * (t["learning_rate"] - t["final_learning_rate"]) * (1 + math.cos(math.pi * done))


def make_optimizer(model):
    """The run's optimiser. Weight decay pulls at tensors of two or more dimensions where RULES has nothing to say."""
    t, groups = TRAINING, {}
    for name, weight in model.named_parameters():
        decays, scale, *_ = RULES.get(name, (None, 1.0, "", 1.0))
        decays = weight.dim() >= 2 if decays is None else decays
        groups.setdefault((t["weight_decay"] if decays else 0.0, scale), []).append(weight)
    groups = [{"params": weights, "weight_decay": decay, "scale": scale} for (decay, scale), weights in groups.items()]
    if t["optimizer"] == "sgd":
        return torch.optim.SGD(groups, lr=t["learning_rate"], momentum=t["momentum"])
    kind = torch.optim.AdamW if t["optimizer"] == "adamw" else torch.optim.Adam
    return kind(groups, lr=t["learning_rate"], betas=(t["beta1"], t["beta2"]), eps=t["epsilon"], fused=True)


def clip_gradients(model):
    """Scales the gradients of each clip group down to the norm TRAINING["clip"], times its scale."""
    groups = {}
    for name, weight in model.named_parameters():
        groups.setdefault(RULES.get(name, (None, 1.0, "", 1.0))[2:], []).append(weight)
    for (_, scale), weights in groups.items():
        nn.utils.clip_grad_norm_(weights, TRAINING["clip"] * scale)


def asks(targets):
    """Whether there is a target: a class other than -100, a number that is not NaN."""
    return bool((~targets.isnan() if targets.is_floating_point() else targets != -100).any())


def train(model, batches, carry=False):
    """Trains on (@INPUT@, targets) or (@INPUT@, targets, mask) as Model.forward takes them; yields each update's loss.

    The gradients of TRAINING["accumulation"] batches are averaged before each update, of those that have a target; where none
    has, no weight is changed and None is the loss.
    carry: the states go on from batch to batch, for streams cut into pieces.
    """
    optimizer, states, many, total, asked = make_optimizer(model.train()), None, TRAINING["accumulation"], 0.0, 0
    for i, batch in enumerate(batches):
        loss, _, states = model(*batch, states=states if carry else None)
        states = {node: tuple(tensor.detach() for tensor in state) for node, state in states.items()}
        if asks(batch[1]):
            (loss / many).backward()
            total, asked = total + loss.item() / many, asked + 1
        if (i + 1) % many != 0:
            continue
        if asked == 0:
            yield None
            continue
        if asked < many:
            total *= many / asked
            for weight in model.parameters():
                if weight.grad is not None:
                    weight.grad.mul_(many / asked)
@PENALTIES@        for group in optimizer.param_groups:
            group["lr"] = learning_rate(i // many) * group["scale"]
        if TRAINING["clip"] > 0:
            clip_gradients(model)
        optimizer.step()
@CONSTRAINTS@        optimizer.zero_grad()
        yield total
        total, asked = 0.0, 0
)py";

const char* const kPythonPenalties = R"py(def add_penalties(model):
    """Adds the gradients of what the weights in PENALTIES add to the loss; gives the sum of that."""
    total = 0.0
    for name, weight in model.named_parameters():
        if name in PENALTIES:
            l1, l2 = PENALTIES[name]
            penalty = l1 * weight.abs().sum() + l2 * weight.square().sum()
            penalty.backward()
            total += penalty.item()
    return total
)py";

const char* const kPythonConstraints = R"py(def constrain(model):
    """Brings the weights in CONSTRAINTS back to where they are held: norms are of rows, or of a vector as a whole."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            kind, largest = CONSTRAINTS.get(name, ("", 0.0))
            norm = weight.norm(dim=-1, keepdim=True)
            if kind == "max_norm":
                weight.mul_((largest / norm).clamp(max=1))
            elif kind == "unit_norm":
                weight.div_(torch.where(norm > 0, norm, 1.0))
            elif kind == "non_negative":
                weight.clamp_(min=0)
)py";

const char* const kPythonText = R"py(def encode(text):
    """Classes of a text, int64 [T]. Characters that the alphabet lacks raise a KeyError."""
    index = {character: i for i, character in enumerate(ALPHABET)}
    return torch.tensor([index[character] for character in text], dtype=torch.int64)


def decode(tokens):
    return "".join(ALPHABET[int(token)] for token in tokens)


def sample(model, prompt, length=200, temperature=0.8, seed=0):
    """Goes on from the prompt for `length` characters, one at a time; the states are all that it remembers."""
    generator, tokens, written, states = torch.Generator().manual_seed(seed), encode(prompt), [], None
    with torch.no_grad():
        for _ in range(length):
            _, logits, states = model(tokens.unsqueeze(1), states=states)
            logits = logits[-1, 0]
            if temperature > 0:
                tokens = torch.multinomial((logits / temperature).softmax(0), 1, generator=generator)
            else:
                tokens = logits.argmax().reshape(1)
            written.append(int(tokens))
    return prompt + decode(written)


def text_batches(text, steps, length, batch, seed=0):
    """`steps` batches of random windows: (tokens, targets), [length, batch]."""
    tokens, generator = encode(text), torch.Generator().manual_seed(seed)
    for _ in range(steps):
        starts = torch.randint(len(tokens) - length, (batch,), generator=generator)
        window = starts + torch.arange(length).unsqueeze(1)
        yield tokens[window], tokens[window + 1]
)py";

const char* const kPythonNumbers = R"py(def read_columns(path, columns):
    """Columns of a CSV file by the names in INPUTS or TARGETS, [rows, columns]; empty cells are NaN. Without a header 1, 2, 3 are meant."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    named = all(name in rows[0] for name, _, _ in columns)
    places = [rows[0].index(name) if named else int(name) - 1 for name, _, _ in columns]
    return torch.tensor([[float(row[place] or "nan") for place in places] for row in rows[named:] if row], dtype=torch.float64)


def normalise(numbers, columns):
    """Numbers [..., columns] as the model reads them: (x - shift) / scale."""
    shift, scale = (torch.tensor([column[i] for column in columns], dtype=torch.float64) for i in (1, 2))
    return ((numbers - shift) / scale).float()


def restore(numbers, columns):
    """The way back, from what the model tells to the units of the table."""
    shift, scale = (torch.tensor([column[i] for column in columns], dtype=torch.float64) for i in (1, 2))
    return numbers.double() * scale + shift


def series_batches(path, steps, length, batch, seed=0):
    """`steps` batches of random windows of a CSV file: (features, targets), [length, batch, columns]."""
    features, targets = (normalise(read_columns(path, columns), columns) for columns in (INPUTS, TARGETS))
    features, generator = features.nan_to_num(0.0), torch.Generator().manual_seed(seed)
    for _ in range(steps):
        starts = torch.randint(len(features) - HORIZON - length + 1, (batch,), generator=generator)
        window = starts + torch.arange(length).unsqueeze(1)
        yield features[window], targets[window + HORIZON]
)py";

} // namespace unroll
