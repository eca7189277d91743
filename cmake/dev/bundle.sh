# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev bundle [ARCH]: a folder that trains and tests on a GPU box with its own torch 2.11, no network, no Qt. Sourced
# by ./dev.

run_bundle() {
    local architecture=${1:-90} folder name
    case $architecture in
        80 | 86 | 90 | 100 | 120) ;;
        *) usage "bundle knows the CUDA architectures 80, 86, 90, 100 and 120, not '$architecture'" ;;
    esac
    need_program patchelf patchelf
    export UNROLL_CUDA=1
    # shellcheck disable=SC2034 # read by need_packages
    preset=headless
    lock
    need_packages
    need_python engine
    # One build folder an architecture, so that going back and forth compiles nothing again.
    need_build headless "bundle-$architecture" "-DUNROLL_CUDA_ARCHITECTURES=$architecture"
    unlock
    folder=$root/build/bundle-$architecture
    name=unroll-$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$folder/CMakeCache.txt")-sm$architecture
    [[ -f $folder/core/libunroll_cuda.so ]] || warn "No nvcc here: the bundle has no CUDA half and trains on the CPU."
    step bundle "Bundle" "See the log." pack "$folder" "$root/build/$name"
    say "Packed $root/build/$name.tar.gz ($(du -m "$root/build/$name.tar.gz" | cut -f 1) MB; unpacked $(du -sm "$root/build/$name" | cut -f 1) MB)"
    [[ $(du -sm "$root/build/$name" | cut -f 1) -le 48 ]] || die "The bundle is larger than its budget of 48 MB." "See what grew: du -a build/$name | sort -n"
    say "There: tar xf $name.tar.gz && $name/unroll-cli doctor && $name/run-tests"
}

# What another machine's GPU, processor or torch may change; the rest was tested where the bundle is packed.
bundled_programs="unroll_cuda_test unroll_gpu_test unroll_kernels_test unroll_engine_test unroll_numerics unroll_gpu_ways"

# pack BUILD-FOLDER TARGET
pack() {
    local target=$2 file library
    rm -rf -- "$target" "$target.tar.gz"
    mkdir -p "$target/bin" "$target/lib"
    cp "$1/app/cli/unroll-cli" "$target/bin/"
    for file in $bundled_programs; do
        [[ ! -x $1/tests/$file ]] || cp "$1/tests/$file" "$target/bin/"
    done
    cp "$1"/core/libunroll_*.so "$target/lib/"
    # The system's libraries that a GPU box may lack, from libcairo on those of pictures. torch, CUDA and the C and C++
    # runtimes are its own.
    for library in libhwy libfmt libz libpng16 libcrypto libcsv libcairo libpixman-1 libfontconfig libfreetype libexpat libbrotlidec libbrotlicommon \
        libX11 libXext libXrender libXau libXdmcp libxcb libxcb-render libxcb-shm libbsd libmd; do
        file=$(ldd "$target"/bin/* "$target"/lib/libunroll_kernels.so | sed -n "s/^\t$library\.so[^ ]* => \(\/[^ ]*\).*/\1/p" | sort -u | sed -n 1p)
        [[ -z $file ]] || cp -L "$file" "$target/lib/"
    done
    strip --strip-unneeded "$target"/bin/* "$target"/lib/*
    for file in "$target"/bin/*; do patchelf --remove-rpath "$file" && patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$file"; done
    for file in "$target"/lib/*; do patchelf --remove-rpath "$file" && patchelf --force-rpath --set-rpath "\$ORIGIN" "$file"; done
    cp -R resources LICENSE "$target/"
    mkdir -p "$target/resources/python"
    cp -R app/python/unroll_runs app/python/unroll_weights app/python/unroll_prepare "$target/resources/python/"
    mkdir -p "$target/resources/python/unroll_weights/blocks"
    for file in nodes/*/foreign.py; do cp "$file" "$target/resources/python/unroll_weights/blocks/$(basename -- "$(dirname -- "$file")").py"; done
    find "$target/resources/python" -name __pycache__ -exec rm -rf {} +
    rm -rf -- "$target"/resources/{fonts,icons} # the studio's
    cp -R app/study "$target/resources/"
    mkdir -p "$target/bench"
    cp -R tests/bench/peers tests/bench/reporting.py "$target/bench/"
    rm -rf -- "$target/bench/peers/__pycache__" "$target/bench/peers/cases/__pycache__"
    # shellcheck disable=SC2016 # for the script written there
    launcher 'exec "$here/bin/unroll-cli" "$@"' >"$target/unroll-cli"
    launcher "$(test_loop)" >"$target/run-tests"
    # shellcheck disable=SC2016
    launcher 'exec "${UNROLL_PYTHON:-python3}" "$here/bench/peers" --gpu --library "$here/lib/libunroll_kernels.so" --cuda-library "$here/lib/libunroll_cuda.so" "$@"' \
        >"$target/bench-peers"
    # shellcheck disable=SC2016
    launcher 'exec "$here/bin/unroll_numerics" --gpu "$@"' >"$target/numerics"
    # shellcheck disable=SC2016
    launcher 'exec "$here/bin/unroll_gpu_ways" "$@"' >"$target/gpu-ways"
    # shellcheck disable=SC2016
    launcher 'exec "$@"' >"$target/with-torch"
    chmod +x "$target/unroll-cli" "$target/run-tests" "$target/bench-peers" "$target/numerics" "$target/gpu-ways" "$target/with-torch"
    oldest_runtime "$target" >"$target/README.txt"
    tar -C "$(dirname -- "$target")" -czf "$target.tar.gz" "$(basename -- "$target")"
}

# A script of the bundle: finds torch by the box's Python, without importing it, and puts it on the loader's path.
launcher() {
    cat <<'TEXT'
#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# UNROLL_TORCH_DIR: the folder of torch 2.11 (holds lib/); else the one of python3, or of $UNROLL_PYTHON.
here=$(dirname -- "$(readlink -f -- "$0")")
torch=${UNROLL_TORCH_DIR:-$("${UNROLL_PYTHON:-python3}" -c 'import importlib.util as u
s = u.find_spec("torch")
print(s.submodule_search_locations[0] if s else "")')}
if [ ! -e "$torch/lib/libtorch_cpu.so" ]; then
    echo "No torch found. Install torch 2.11, or set UNROLL_TORCH_DIR to its folder." >&2
    exit 1
fi
if ! grep -q "__version__ = '2\.11\." "$torch/version.py"; then
    echo "$torch is not torch 2.11, which this bundle was built against." >&2
    exit 1
fi
folders=$torch/lib
for folder in "$torch"/../nvidia/*/lib /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
    [ ! -d "$folder" ] || folders=$folders:$folder
done
export LD_LIBRARY_PATH="$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export UNROLL_RESOURCES="${UNROLL_RESOURCES:-$here/resources}"
TEXT
    printf '%s\n' "$1"
}

test_loop() {
    cat <<'TEXT'
# run-tests [GoogleTest options]: every test program, those of a GPU first; fails when one fails.
failed=0
for turn in gpu cpu; do
    for program in "$here"/bin/unroll_*_test; do
        case $program in
            */unroll_cuda_test | */unroll_gpu_test) needs=gpu ;;
            *) needs=cpu ;;
        esac
        [ $needs = $turn ] || continue
        echo "== $(basename -- "$program")"
        "$program" --gtest_brief=1 "$@" || failed=1
    done
done
exit $failed
TEXT
}

# What the box must have, read off the programs themselves.
oldest_runtime() {
    local needs
    needs=$(objdump -T "$1"/bin/* "$1"/lib/* 2>/dev/null | grep -oE '\b(GLIBC|GLIBCXX)_[0-9.]+' | sort -u -V)
    cat <<TEXT
Unroll without a window, for a machine with torch 2.11 of its own.

  ./unroll-cli doctor          what this machine has
  ./unroll-cli train fable     train the default experiment
  ./run-tests                  the tests
  ./with-torch PROGRAM ...     one of bin/ by itself: compute-sanitizer bin/unroll_gpu_test
  ./numerics                   how exact the CUDA kernels are (--write FILE)
  ./gpu-ways                   which way each kernel goes faster over this GPU
  ./bench-peers --eager        our kernels on this GPU beside everybody else's (--help)

Needs: Linux x86-64, $(grep '^GLIBC_' <<<"$needs" | tail -n 1) and $(grep '^GLIBCXX_' <<<"$needs" | tail -n 1) or newer, torch 2.11 of PyPI (CUDA 13.0).
TEXT
}
