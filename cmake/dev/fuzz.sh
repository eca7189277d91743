# shellcheck shell=bash disable=SC2154 # root, logs, counts are those of ./dev and test.sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev test --all: every reader against libFuzzer (tests/fuzz). Sourced by ./dev.

fuzz_seconds=60
# What was found worth keeping: the next run begins with it. What broke a reader lies there too.
fuzz_corpus=$root/build/corpus

# run_fuzzers FILTER
run_fuzzers() {
    local filter=$1 program name good=0 bad=0
    if ! command -v clang++ >/dev/null; then
        say "No clang++ here: the readers are not fuzzed."
        printf '0 0 1\n' >"$counts/fuzz.txt"
        return
    fi
    lock
    need_build fuzz
    unlock
    for program in "$root"/build/fuzz/tests/fuzz/unroll_fuzz_*; do
        name=${program##*/unroll_fuzz_}
        [[ -x $program && unroll_fuzz_$name == *"$filter"* ]] || continue
        if fuzz "$program" "$name"; then
            good=$((good + 1))
        else
            bad=$((bad + 1))
        fi
    done
    printf '%d %d 0\n' "$good" "$bad" >"$counts/fuzz.txt"
}

# fuzz PROGRAM NAME
# A minute an input: on a machine that is busy with others a short limit would blame the reader. Stacks kept after a
# return cost a fuzzer half its inputs.
fuzz() {
    local kept=$fuzz_corpus/$2 log=$logs/fuzz-$2.log dictionary=$root/tests/fuzz/dictionaries/$2.dict
    local -a words=()
    [[ ! -f $dictionary ]] || words=("-dict=$dictionary")
    mkdir -p "$kept" "$fuzz_corpus/broken"
    if ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
        "$1" -max_total_time="$fuzz_seconds" -timeout=60 -rss_limit_mb=2048 -max_len=8192 -verbosity=1 -print_final_stats=1 \
        -artifact_prefix="$fuzz_corpus/broken/$2-" "${words[@]}" "$kept" "$root/tests/fuzz/corpus/$2" >"$log" 2>&1; then
        say "fuzz $2: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $(find "$kept" -type f | wc -l) kept"
        return 0
    fi
    say "--- fuzz $2: broken; see $log. The input is in $fuzz_corpus/broken."
    tail -n 40 -- "$log"
    return 1
}
