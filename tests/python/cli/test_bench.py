# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os

import pytest
from running import run


@pytest.mark.skipif("UNROLL_TEST_ALL" not in os.environ, reason="slow: ./dev test --all")
def test_json_is_json():
    ended = run("bench", "kernels", "--json", "--filter", "gated_scan/forward/256/", code=0)
    [found] = json.loads(ended.out)["benchmarks"]
    assert found["ms"] > 0 and found["GB/s"] > 0
