# SPDX-License-Identifier: GPL-3.0-or-later
import json

from running import run, slow


@slow
def test_json_is_json():
    ended = run("bench", "kernels", "--json", "--filter", "gated_scan/forward/256/", code=0)
    [found] = json.loads(ended.out)["benchmarks"]
    assert found["ms"] > 0 and found["GB/s"] > 0


@slow
def test_every_kernel_is_timed():
    ended = run("bench", "kernels", "--json", "--filter", "256", code=0)
    kernels = {each["name"].split("/")[0] for each in json.loads(ended.out)["benchmarks"]}
    assert {"outer_scan", "matrix_scan", "gated_scan", "sru_scan", "diag_scan", "gru_steps", "rnn_steps", "cell_steps"} <= kernels


def test_a_step_is_timed_after_each_context_and_attention_keeps_all_of_it():
    ended = run("bench", "step", "--json", "--filter", "^(gru|attention|mamba|qrnn)$", code=0)
    rows = [json.loads(line) for line in ended.out.splitlines()]
    assert {(row["cell"], row["context"]) for row in rows} == {(cell, context) for cell in ("gru", "attention", "mamba", "qrnn") for context in (64, 1024, 4096)}
    assert all(row["us"] > 0 for row in rows)
    state = {(row["cell"], row["context"]): row["state"] for row in rows}
    assert state["gru", 64] == state["gru", 4096] == 256 and state["qrnn", 64] == state["qrnn", 4096] and state["attention", 4096] > 60 * state["attention", 64] > 0
    table = run("bench", "step", "--filter", "^(gru|attention)$", code=0).out
    assert table.count("\n| GRU | ") == 1 and "| Attention | " in table and "after 4,096 steps, us" in table


def test_a_filter_that_no_cell_has_is_said():
    assert "no cell's id holds nothing" in run("bench", "step", "--filter", "nothing", code=2).err
