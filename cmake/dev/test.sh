# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev test: ctest runs the C++ test programs, pytest the Python tests; one count over all. Sourced by ./dev.

counts=$root/build/logs/counts

run_tests() {
    local all='' filter='' argument
    for argument in "$@"; do
        case $argument in
            --all) all=1 ;;
            -*) usage "test knows no option '$argument'" ;;
            *)
                [[ -z $filter ]] || usage "test takes one filter"
                filter=$argument
                ;;
        esac
    done
    # One stream: the results are read in the order they come.
    exec 2>&1
    local formatted='' set_up=$SECONDS
    [[ -n $filter ]] || need_packages # clang-format is among them
    [[ -n $filter ]] || formatted=$(check_format)
    prepare tests
    build_test_packages
    step wheel "Wheel of the Python package" "See the log." ninja -C "$build" unroll_python
    set_up=$((SECONDS - set_up))
    rm -rf -- "$counts"
    mkdir -p "$counts"
    [[ -z $formatted ]] || printf '%s\n' "$formatted" >"$counts/format.txt"
    [[ -z $all ]] || export UNROLL_TEST_ALL=1
    local started=$SECONDS
    whole_programs=
    run_cpp_tests "$preset" "$filter"
    run_python_tests "$filter"
    local took=$((SECONDS - started))
    if [[ -n $all ]]; then
        compile_for_every_gpu
        run_sanitized asan "$filter"
        run_sanitized tsan "$filter"
        run_fuzzers "$filter"
        run_package_tests "$filter"
    fi
    [[ -n $filter ]] || budgets "$set_up" "$took"
    "$python" cmake/dev/count_tests.py total "$counts"
}

# Tests never see the user's settings, caches or display. A locale with a decimal comma is theirs to choose. Several
# programs run at once, each with threads for all processors: those that wait sleep soon, as they do in ours
# (app/process).
test_environment() {
    local home=$root/build/test-home
    mkdir -p "$home/run" "$home/locale"
    chmod 700 "$home/run"
    [[ -d $home/locale/de_DE.UTF-8 ]] || localedef -i de_DE -f UTF-8 "$home/locale/de_DE.UTF-8" 2>/dev/null || true
    env LOCPATH="$home/locale" GTEST_COLOR=no QT_QPA_PLATFORM=offscreen GOMP_SPINCOUNT=3000 XDG_CONFIG_HOME="$home/config" XDG_CACHE_HOME="$home/cache" \
        XDG_DATA_HOME="$home/data" XDG_STATE_HOME="$home/state" XDG_RUNTIME_DIR="$home/run" \
        TORCH_EXTENSIONS_DIR="$root/build/torch_extensions" PYTHONDONTWRITEBYTECODE=1 "$@"
}

# The sru package compiles a CPU op when it is first imported: that is building, not testing. Where it fails, its tests
# say so.
build_test_packages() {
    local extensions=$root/build/torch_extensions
    [[ -e $extensions/sru_cpu/sru_cpu.so ]] || test_environment "$python" -c 'import sru' >"$logs/sru.log" 2>&1 || true
}

# The ctest arguments for a filter, one a line: program names that hold it run whole; else GoogleTest programs choose by
# test name. (Qt Test programs are chosen by program name alone.)
choose_programs() {
    local folder=$1 filter=$2 name command
    while read -r name command; do
        [[ $name != *"$filter"* ]] || printf '%s\n' "$name"
    done < <(programs "$folder")
}

# Name and path of every test program.
programs() {
    ctest --test-dir "$1" --show-only=json-v1 | "$python" -c '
import json, sys
for test in json.load(sys.stdin)["tests"]:
    print(test["name"], test.get("command", [""])[0])'
}

gtest_programs() {
    local name command
    while read -r name command; do
        ! grep -q gtest_filter -- "$command" || printf '%s\n' "$name"
    done < <(programs "$1")
}

# run_cpp_tests PRESET FILTER. Sets whole_programs when the filter named test programs.
run_cpp_tests() {
    local folder=$root/build/$1 filter=$2
    local -a chosen=() options=()
    whole_programs=
    [[ $filter != python ]] || return 0
    if [[ -n $filter ]]; then
        mapfile -t chosen < <(choose_programs "$folder" "$filter")
        if [[ ${#chosen[@]} -gt 0 ]]; then
            whole_programs=1
        else
            mapfile -t chosen < <(gtest_programs "$folder")
            export GTEST_FILTER="*$filter*"
        fi
        options=(-R "^($(IFS='|' && printf '%s' "${chosen[*]}"))\$")
    fi
    rm -f -- "$folder"/Testing/Temporary/LastTest{,sFailed}.log
    local seconds=1800 # long: a busy machine fails no test
    # Programs labelled all take long: they run when everything does, or when they are named.
    if [[ -n ${UNROLL_TEST_ALL:-} ]]; then
        seconds=5400
    elif [[ -z $whole_programs ]]; then
        options+=(-LE '^all$')
    fi
    # One more than there are cores: windows wait now and then.
    test_environment ctest --test-dir "$folder" -j "$(($(nproc) + 1))" --timeout $seconds --no-tests=ignore "${options[@]}" 2>&1 |
        grep --line-buffered -E '^ *[0-9]+/[0-9]+ Test ' || true
    unset GTEST_FILTER
    "$python" cmake/dev/count_tests.py ctest "$folder/Testing/Temporary/LastTest.log" "$counts/$1.txt"
}

run_python_tests() {
    [[ -d tests/python && -z $whole_programs ]] || return 0
    local -a options=()
    [[ -z $1 || $1 == python ]] || options=(-k "$1")
    local kernels=$build/core/libunroll_kernels.so cuda=$build/core/libunroll_cuda.so status=0
    [[ -f $cuda ]] || cuda=
    UNROLL_KERNELS_LIBRARY=$kernels UNROLL_CUDA_LIBRARY=$cuda UNROLL_CLI=$build/app/cli/unroll-cli \
        UNROLL_FORMAT_TEST=$build/tests/unroll_format_test UNROLL_BLOCK_DUMP=$build/tests/unroll_block_dump UNROLL_WHEEL=$(newest_wheel) \
        with_toolkit test_environment "$python" -m pytest -q --no-header -p no:cacheprovider -n "$(($(nproc) < 4 ? $(nproc) : 4))" --dist worksteal -rf --tb=short \
        --junitxml="$logs/pytest.xml" "${options[@]}" tests/python || status=$?
    # worksteal: a worker keeps to neighbouring tests, which share what they set up. 5: nothing matched the filter.
    [[ $status -eq 5 ]] || "$python" cmake/dev/count_tests.py pytest "$logs/pytest.xml" "$counts/python.txt" "$status"
}

# The .deb: what is in it, that it runs elsewhere, and its first start (tests/package). Chosen by the filters package
# and python alone.
run_package_tests() {
    [[ -z $1 || $1 == package || $1 == python ]] || return 0
    if ! command -v dpkg-deb >/dev/null; then
        say "No dpkg here: no package is made."
        printf '0 0 1\n' >"$counts/package.txt"
        return
    fi
    local status=0
    make_package
    UNROLL_PACKAGE=$package with_toolkit test_environment "$python" -m pytest -q --no-header -p no:cacheprovider -n 2 --dist loadfile -rf --tb=short \
        --junitxml="$logs/pytest-package.xml" tests/package || status=$?
    "$python" cmake/dev/count_tests.py pytest "$logs/pytest-package.xml" "$counts/package.txt" "$status"
}

# Every GPU that a bundle is made for: the kernels compile for each. Nothing is run there.
compile_for_every_gpu() {
    if have_nvcc; then
        step gpus "CUDA kernels for every GPU" "A kernel must compile for sm 80, 86, 90, 100 and 120." compile_kernels "$(nvcc_path)"
    else
        say "No nvcc here: the CUDA kernels are not compiled."
    fi
}

compile_kernels() {
    local nvcc=$1 file architecture started
    local -a code=()
    for architecture in 80 86 90 100 120; do
        code+=("-gencode=arch=compute_$architecture,code=sm_$architecture")
    done
    for file in core/kernels/*/*.cu core/kernels/*/*/*.cu; do
        [[ -f $file ]] || continue
        started=$SECONDS
        "$nvcc" -std=c++20 -O2 -DNDEBUG "-I$root" --threads "$(nproc)" "${code[@]}" -fatbin -o /dev/null "$file"
        printf '%s  %s\n' "$file" "$(duration $((SECONDS - started)))"
    done
}

run_sanitized() {
    lock
    need_build "$1"
    unlock
    say "$1:"
    ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
        LSAN_OPTIONS=suppressions=$root/cmake/dev/lsan.txt TSAN_OPTIONS=suppressions=$root/cmake/dev/tsan.txt:ignore_noninstrumented_modules=1 \
        run_cpp_tests "$1" "$2"
}

# Milliseconds from a changed source file, compiled without the cache, to a test of it that has run.
one_change() {
    local start target=unroll_engine_test
    start=$(date +%s%N)
    touch core/train/trainer.cpp
    CCACHE_DISABLE=1 ninja -C "$build" "tests/$target" >/dev/null &&
        "$build/tests/$target" --gtest_brief=1 --gtest_filter=Trainer.StatesOfWindowsStartFromZero >/dev/null || return
    printf '%d' $((($(date +%s%N) - start) / 1000000))
}

# The figures of the time budgets.
budgets() {
    local full start stop change
    set_ccache
    change=$(one_change) || change='not measured: it failed after'
    ninja -C "$build" >/dev/null # what else the change concerned
    full='not measured (not all was built at once)'
    [[ ! -f $build/full-build-seconds.txt ]] || full=$(duration "$(<"$build/full-build-seconds.txt")")
    start=$(date +%s%N)
    prepare tests
    stop=$(date +%s%N)
    say ""
    say "Budgets"
    say "  full build           $full   (15 min; configure to last link, when build/$preset was made)"
    say "  set-up and build now $(duration "$1")"
    say "  tests                $(duration "$2")   (5 min)"
    say "  a changed file to its test ${change} ms   (30 s)"
    say "  nothing to do        $(((stop - start) / 1000000)) ms   (3 s)"
}
