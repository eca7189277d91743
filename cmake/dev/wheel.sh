# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev wheel: the Python package (app/python) as a wheel, of this preset's kernels. Sourced by ./dev.

run_wheel() {
    [[ $# -eq 0 ]] || usage "wheel takes no arguments; UNROLL_PRESET=release ./dev wheel has the kernels for every instruction set"
    prepare tests unroll_python
    wheel=$(newest_wheel)
    say "Made $wheel ($(du -k "$wheel" | cut -f 1) kB). Install it with: pip install $wheel"
}

newest_wheel() { echo "$build"/python/dist/unroll-*.whl; }

# Runs the bench by a Python that has the wheel, and torch of .venv.
bench_wheel() {
    local place=$build/python/bench
    prepare tests unroll_python unroll_blocks_bench
    rm -rf -- "$place"
    step wheel-bench "Wheel into $place" "See the log." \
        "$python" -m pip install --disable-pip-version-check --no-deps --no-index --target "$place" "$(newest_wheel)"
    # Freed memory is kept in the process, as unroll_blocks_bench keeps it
    with_toolkit start env PYTHONPATH="$place" MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=1000000000000 MALLOC_TOP_PAD_=67108864 "$python" "$root/tests/bench/wheel" --blocks "$build/tests/unroll_blocks_bench" "$@"
}
