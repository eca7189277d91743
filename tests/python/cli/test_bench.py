# SPDX-License-Identifier: GPL-3.0-or-later
import json

from running import run, slow


@slow
def test_json_is_json():
    ended = run("bench", "kernels", "--json", "--filter", "gated_scan/forward/256/", code=0)
    [found] = json.loads(ended.out)["benchmarks"]
    assert found["ms"] > 0 and found["GB/s"] > 0
