# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the Python that the wheel is installed in: what does not fit a class of unroll.nn is refused in words before anything is computed, by
kernels and by the reference form alike."""

import contextlib
import copy
import inspect
import io
import re

import numpy
import pytest
import torch
import unroll
from inside_numbers import CASES, WIDTH

torch.set_num_threads(1)

CHECKED = sorted(name for name in unroll.nn.__all__ if "input_size" in inspect.signature(getattr(unroll.nn, name).__init__).parameters)
CELLS = [name for name in CHECKED if "state" in inspect.signature(getattr(unroll.nn, name).reference.forward).parameters]
NEEDED = {"BceHead": {"output_size": 1}, "MseHead": {"output_size": 2}, "Head": {"classes": 3}, "AdaptiveHead": {"classes": 9}, "Gate": {"width": 3}, "LRU": {"units": WIDTH},
          "ModuleConv": {"num_modules": 2}}
WAYS = (contextlib.nullcontext, unroll.reference_forms)


def made(name):
    return getattr(unroll.nn, name)(WIDTH, **NEEDED.get(name, CASES.get(name, [{}])[0]))


def refused(words, error, call):
    for way in WAYS:
        with way(), pytest.raises(error, match=re.escape(words)):
            call()


def test_every_class_with_an_input_is_checked():
    assert len(CHECKED) > 45 and len(CELLS) > 35 and {"LSTM", "SRU", "JANET"} <= set(CELLS) and {"DenseMML", "Linear"} <= set(CHECKED) - set(CELLS)


@pytest.mark.parametrize("name", CHECKED)
def test_another_width(name):
    module = made(name)
    for width in (WIDTH - 1, WIDTH + 1, 4, 1):
        refused(f"{name}: x has {width} features, and the class takes {WIDTH}", ValueError, lambda: module(torch.randn(10, 3, width)))


@pytest.mark.parametrize("name", CELLS)
def test_another_number_of_dimensions(name):
    module = made(name)
    for sizes in ((WIDTH,), (10, WIDTH), (2, 10, 3, WIDTH)):
        refused(f"{name}: x is {list(sizes)}, and the class takes [T, B, {WIDTH}]", ValueError, lambda: module(torch.randn(*sizes)))


@pytest.mark.parametrize("name", CELLS)
def test_no_step(name):
    refused(f"{name}: x is [0, 3, {WIDTH}]: it has no step", ValueError, lambda: made(name)(torch.randn(0, 3, WIDTH)))


@pytest.mark.parametrize("name", CELLS)
def test_a_state_that_is_not_this_cells(name):
    module, x = made(name).eval(), torch.randn(5, 3, WIDTH)
    state = module(x)[1]
    assert module(x, state) is not None and module(x[:1], list(state)) is not None
    wrong = [tuple(part[:1] for part in state), tuple(part[:2] for part in state), tuple(part[:, 1:] for part in state), state[1:], (*state, state[0])]
    for other in wrong:
        refused(f"{name}: state is (", ValueError, lambda: module(x, other))
    refused(f"{name}: state is {list(state[0].shape)}, and the class takes a tuple", TypeError, lambda: module(x, state[0]))
    refused(f"{name}: state is float64, and x is float32", TypeError, lambda: module(x, tuple(part.double() for part in state)))


@pytest.mark.parametrize("name", CELLS)
def test_a_mask_that_is_not_this_inputs(name):
    module, x = made(name), torch.randn(5, 3, WIDTH)
    for sizes in ((5, 1), (1, 3), (3, 5), (5,)):
        refused(f"{name}: mask is {list(sizes)}, and x has [T, B] = [5, 3]", ValueError, lambda: module(x, None, torch.ones(*sizes, dtype=torch.bool)))
    refused(f"{name}: mask is float32, and the class takes bool", TypeError, lambda: module(x, mask=torch.ones(5, 3)))


@pytest.mark.parametrize("name", CHECKED)
def test_another_type(name):
    module = made(name)
    theirs = "the weights are float32" if list(module.parameters()) else "the class takes floating point numbers"
    refused(f"{name}: x is int64, and {theirs}", TypeError, lambda: module(torch.ones(5, 3, WIDTH, dtype=torch.int64)))
    if list(module.parameters()):
        refused(f"{name}: x is float64, and the weights are float32", TypeError, lambda: module(torch.ones(5, 3, WIDTH, dtype=torch.float64)))


@pytest.mark.parametrize("name", CHECKED)
def test_what_is_built_is_the_reference_classes(name):
    """The same weights from the same seed, which stands at the same number afterwards."""
    cls, options = getattr(unroll.nn, name), NEEDED.get(name, CASES.get(name, [{}])[0])
    drawn = []
    for made_by in (cls, cls.reference):
        torch.manual_seed(4)
        drawn.append([*made_by(WIDTH, **options).state_dict().values(), torch.rand(1)])
    assert all(torch.equal(a, b) for a, b in zip(*drawn, strict=True))
    assert inspect.signature(cls) == inspect.signature(cls.reference) and made(name).training


@pytest.mark.parametrize("name", CELLS)
def test_how_x_lies_in_memory_does_not_matter(name):
    module = made(name).double().eval()
    x = torch.randn(3, 6, 2 * WIDTH, dtype=torch.float64)
    lying = x.transpose(0, 1)[..., ::2]
    y, y_of_copy = module(lying)[0], module(lying.contiguous())[0]
    assert torch.allclose(y, y_of_copy, rtol=1e-12, atol=1e-12)


def test_copies_and_users_classes_are_checked_too():
    class Mine(unroll.nn.LSTM):
        def __init__(self, units):
            super().__init__(WIDTH, units=units)

    place = io.BytesIO()
    torch.save(unroll.nn.LSTM(WIDTH), place)
    place.seek(0)
    for module in (Mine(5), copy.deepcopy(made("LSTM")), torch.load(place, weights_only=False)):
        refused("LSTM: x has 7 features", ValueError, lambda: module(torch.randn(3, 2, 7)))


@pytest.mark.parametrize("both", (False, True))
def test_states_of_the_sru_in_the_shape_of_torch(both):
    """nn_rnn_compatible_return: [directions, B, units], given and taken; the numbers are those of the class without it."""
    torch.manual_seed(2)
    plain = unroll.nn.SRU(WIDTH, units=5, bidirectional=both)
    cell = unroll.nn.SRU(WIDTH, units=5, bidirectional=both, nn_rnn_compatible_return=True)
    cell.load_state_dict(plain.state_dict())
    x, directions = torch.randn(6, 3, WIDTH), 2 if both else 1
    for way in WAYS:
        with way():
            (y, c), (want, (flat,)) = cell(x), plain(x)
            assert c.shape == (directions, 3, 5) == torch.nn.GRU(WIDTH, 5, bidirectional=both)(x)[1].shape
            assert torch.equal(y, want) and torch.equal(torch.cat(list(c), dim=-1), flat)
            assert torch.equal(cell(x, c)[0], plain(x, (flat,))[0])
    refused(f"SRU: state is [3, 5], and with nn_rnn_compatible_return the class takes [{directions}, B, 5]", ValueError, lambda: cell(x, c[0]))
    refused("SRU: nn_rnn_compatible_return must be true or false; it is 1", ValueError, lambda: unroll.nn.SRU(WIDTH, nn_rnn_compatible_return=1))


def test_states_of_the_sru_are_shaped_as_the_package_does():
    sru = pytest.importorskip("sru")
    theirs = sru.SRU(WIDTH, 5, num_layers=1, bidirectional=True, nn_rnn_compatible_return=True)
    ours = unroll.nn.SRU(WIDTH, units=5, bidirectional=True, nn_rnn_compatible_return=True)
    own = dict(theirs.rnn_lst[0].named_parameters())
    with torch.no_grad():
        ours.weight.copy_(own["weight"].view(WIDTH, 2, 5, -1).permute(1, 3, 2, 0).reshape(ours.weight.shape))
        ours.weight_c.copy_(own["weight_c"])
        ours.bias.copy_(own["bias"])
    x = torch.randn(6, 3, WIDTH)
    assert torch.allclose(ours(x)[1], theirs(x)[1], atol=1e-6)


RULED = sorted(name for name in unroll.nn.__all__ if hasattr(getattr(unroll.nn, name), "reference"))
MISFITS = [
    ("ModuleConv", (8,), {}, "num_modules must divide the width of x, 8; it is 16"),
    ("ModuleConv", (8,), {"num_modules": 8, "width": 12}, "num_modules must divide width, 12; it is 8"),
    ("ModuleConv", (8,), {"num_modules": 8, "module_kernel": 2}, "module_kernel reads as many modules before as behind one, so it must be odd; it is 2"),
    ("MultiplicativeDense", (8,), {"width": 9, "num_modules": 4}, "num_modules must divide width, 9; it is 4"),
    ("DeltaNet", (8,), {"units": 10, "num_heads": 4}, "num_heads must divide units, 10; it is 4"),
    ("GLA", (8,), {"units": 10, "num_heads": 4}, "num_heads must divide units, 10; it is 4"),
    ("RetNet", (8,), {"units": 10, "num_heads": 4}, "num_heads must divide units, 10; it is 4"),
    ("SLSTM", (8,), {"units": 10, "num_heads": 4}, "num_heads must divide"),
    ("Attention", (10,), {"num_heads": 4}, "num_heads must divide"),
    ("RGLRU", (9,), {"num_heads": 2}, "num_heads must divide"),
    ("Mamba2", (9,), {"head_size": 4}, "head_size must divide"),
    ("RWKV7", (10,), {"head_size": 4}, "head_size must divide"),
    ("LRU", (7,), {"units": 6}, "skip"),
    ("CausalConv", (8,), {"kernel_size": 0}, "kernel_size must be at least 2; it is 0"),
    ("QRNN", (8,), {"window": 0}, "window must be at least 1; it is 0"),
    ("LSTM", (8,), {"units": -1}, "units must be at least 1; it is -1"),
    ("LSTM", (0,), {}, "input_size must be at least 1; it is 0"),
    ("LSTM", ("8",), {}, 'input_size must be a whole number; it is "8"'),
    ("LSTM", (8,), {"units": 4.5}, "units must be a whole number; it is 4.5"),
    ("LSTM", (8,), {"units": None}, 'units must be a whole number; it is "None"'),
    ("LSTM", (8,), {"activation": "tan"}, "activation must be one of"),
    ("Dropout", (8,), {"rate": float("nan")}, 'rate must be a number; it is "nan"'),
    ("Embedding", (0,), {}, "classes must be at least 1; it is 0"),
    ("Embedding", (5,), {"width": 0}, "width must be at least 1; it is 0"),
    ("Pool", (), {"kind": "median"}, "kind must be one of"),
]


@pytest.mark.parametrize("name, given, options, words", MISFITS)
def test_options_that_do_not_fit(name, given, options, words):
    refused(f"{name}: {words}", ValueError, lambda: getattr(unroll.nn, name)(*given, **options))


@pytest.mark.parametrize("name", RULED)
def test_every_option_is_asked_for(name):
    """Sizes below 0, words that are no choice, words for a flag: each option by itself, before anything is made."""
    cls = getattr(unroll.nn, name)
    usual = {"input_size": WIDTH, "classes": 9, **NEEDED.get(name, CASES.get(name, [{}])[0])}
    taken = inspect.signature(cls).parameters
    usual = {option: value for option, value in usual.items() if option in taken}
    cls(**usual)
    for option, parameter in taken.items():
        default = usual.get(option, parameter.default)
        if option == "cutoffs":
            continue  # a text, not a choice
        wrong = "seventeen" if isinstance(default, (str, bool)) else -1e9 if isinstance(default, float) else -5
        refused(f"{name}: {option} must be", ValueError, lambda: cls(**usual | {option: wrong}))


def test_the_rules_do_not_draw_and_take_other_kinds_of_numbers():
    torch.manual_seed(4)
    after = torch.rand(1)
    torch.manual_seed(4)
    with pytest.raises(ValueError, match="units must be at least 1"):
        unroll.nn.LSTM(8, units=0)
    assert torch.equal(torch.rand(1), after)
    assert unroll.nn.Linear(numpy.int64(8), width=numpy.int32(6))(torch.randn(2, 1, 8)).shape == (2, 1, 6)
