# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the Python that the wheel is installed in: what computes a call, and what is said about it."""

import copy
import io

import pytest
import torch
import unroll
from inside_numbers import CASES, WIDTH, made


def ops_called(call):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as watched:
        call()
    return {event.key.removeprefix("unroll::") for event in watched.key_averages() if event.key.startswith("unroll::")}


@pytest.mark.parametrize("name", CASES)
def test_the_named_kernels_are_called(name):
    called = set()
    for options in CASES[name]:
        module = made(name, options, torch.float32)
        called |= ops_called(lambda: module(torch.randn(5, 2, WIDTH)))
    said = {op for op in unroll.kernels()[name].uses if not op.startswith("aten::")}
    inner = {op for op in called if op.startswith("ternary") and op != "ternary_dense"} | {op for op in called if op.endswith("_backward")}
    assert called - inner == said


def test_any_thread_count_gives_the_same_bits():
    made_by = {}
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        for name in ("SRU", "GRUMML", "MRU", "LRU", "GRU", "QRNN", "SLSTM", "LiGRU", "IndRNN"):
            torch.manual_seed(1)
            cell = getattr(unroll.nn, name)(24, units=24)
            x = torch.randn(40, 6, 24, requires_grad=True)
            y, _ = cell(x)
            y.square().sum().backward()
            assert torch.equal(y, made_by.setdefault((name, "y"), y)) and torch.equal(x.grad, made_by.setdefault((name, "x"), x.grad)), (name, threads)
    torch.set_num_threads(1)


def reasons(name, call):
    before = copy.copy(unroll.kernels()[name].by_reference)
    call()
    return list(unroll.kernels()[name].by_reference - before)


def test_what_the_kernels_do_not_take_goes_by_the_reference_form():
    gru = unroll.nn.GRU(4, units=5)
    assert reasons("GRU", lambda: gru(torch.ones(3, 2, 4))) == []
    half = copy.deepcopy(gru).bfloat16()
    (why,) = reasons("GRU", lambda: half(torch.ones(3, 2, 4, dtype=torch.bfloat16)))
    assert why == "the kernels take float32 or float64, the same in weights and input"
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert reasons("GRU", lambda: gru(torch.ones(3, 2, 4))) == ["under autocast"]
    lstm = unroll.nn.LSTM(4, units=5)
    mask = torch.ones(3, 2, dtype=torch.bool)
    assert reasons("LSTM", lambda: lstm(torch.ones(3, 2, 4), mask=mask)) == ["torch's LSTM takes no mask"]
    for name in ("RNN", "GRU", "JANET"):
        cell = getattr(unroll.nn, name)(4, units=5, learned_state=True)
        assert reasons(name, lambda: cell(torch.ones(3, 2, 4))) == ["the walks know no learned state"]
    read = unroll.nn.SLSTM(4, units=4, masked_output="read")
    assert reasons("SLSTM", lambda: read(torch.ones(3, 2, 4))) == []
    assert reasons("SLSTM", lambda: read(torch.ones(3, 2, 4), mask=mask)) == ["masked_output is read, and the kernels give 0 at masked steps"]
    meta = copy.deepcopy(gru).to("meta")
    (why,) = reasons("GRU", lambda: meta(torch.ones(3, 2, 4, device="meta")))
    assert "and the input is on meta" in why


def test_second_derivatives_are_refused_and_the_reference_form_has_them():
    cell, x = unroll.nn.MinGRU(3, units=4).double(), torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True)

    def twice():
        (g,) = torch.autograd.grad(cell(x)[0].square().sum(), x, create_graph=True)
        return torch.autograd.grad(g.square().sum(), x)[0]

    with pytest.raises(RuntimeError):
        twice()
    with unroll.reference_forms():
        assert twice().isfinite().all()


def test_the_table_is_printed():
    said = repr(unroll.kernels())
    assert "libunroll_kernels.so" in said.splitlines()[0] and len(said.splitlines()) == 1 + len(unroll.nn.__all__)
    assert any(line.startswith("Delay ") and "no kernel: steps in Python" in line for line in said.splitlines())


def test_modules_are_saved_and_read():
    kept, place = unroll.nn.QRNN(4, units=4), io.BytesIO()
    torch.save(kept, place)
    place.seek(0)
    again = torch.load(place, weights_only=False)
    x = torch.randn(3, 2, 4)
    assert type(again) is unroll.nn.QRNN and torch.equal(again(x)[0], kept(x)[0])
    plain = unroll.nn.QRNN.reference(4, units=4)
    plain.load_state_dict(kept.state_dict())
    assert torch.allclose(plain(x)[0], kept(x)[0], atol=1e-6)


@pytest.mark.parametrize("name", ("GRU", "SRU", "MinGRU", "LRU", "SLSTM", "IndRNN"))
def test_compiled_whole(name):
    torch.manual_seed(1)
    cell, x = getattr(unroll.nn, name)(4, units=4), torch.randn(3, 2, 4)
    compiled = torch.compile(cell, backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(x)[0], cell(x)[0], atol=1e-6)


def test_weights_of_torchs_layers_are_taken(tmp_path):
    """What the file does not tell is a warning, and rotated positions are refused for it."""
    model = torch.nn.ModuleDict({"table": torch.nn.Embedding(5, 8), "head": torch.nn.Linear(8, 3), "attention": torch.nn.MultiheadAttention(8, 2)})
    torch.save(model.state_dict(), tmp_path / "theirs.pt")
    tokens, x, head = torch.tensor([[0, 4], [3, 1]]), torch.randn(4, 2, 8), unroll.nn.Linear(8, width=3)
    assert [line[:2] for line in unroll.take_weights(head, tmp_path / "theirs.pt", "head")] == [("weight", "head.weight"), ("bias", "head.bias")]
    assert torch.equal(head(x), model["head"](x))
    table = unroll.nn.Embedding(5, width=8)
    with pytest.warns(UserWarning, match="which class that is"):
        unroll.take_weights(table, tmp_path / "theirs.pt", "table")
    assert torch.equal(table(tokens), model["table"](tokens))
    with pytest.raises(ValueError, match="has positions none, and the node has positions = rope"):
        unroll.take_weights(unroll.nn.Attention(8, num_heads=2), tmp_path / "theirs.pt", "attention")
    cell = unroll.nn.Attention(8, num_heads=2, positions="none")
    with pytest.warns(UserWarning, match="number of heads"):
        unroll.take_weights(cell, tmp_path / "theirs.pt", "attention")
    later = torch.ones(4, 4, dtype=torch.bool).triu(1)
    assert torch.allclose(cell(x)[0], model["attention"](x, x, x, attn_mask=later, need_weights=False)[0], atol=1e-6)
