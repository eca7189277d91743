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
    assert {"outer_scan", "matrix_scan", "gated_scan", "sru_scan", "diag_scan", "gru_steps", "rnn_steps"} <= kernels
