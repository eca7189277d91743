# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# Configure and build. Sourced by ./dev.

# Compile jobs: a file that includes torch takes up to 1.5 GB.
jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || echo "$cores")
    [[ $memory -ge 1 ]] || memory=1
    printf '%d' "${UNROLL_JOBS:-$((memory < cores ? memory : cores))}"
}

# Clones and build folders share compiled files: paths count from the root, and the folder of the compile does not
# count. What a file includes is taken from the compiler, so that a file that is new to the cache is read once and not
# twice. Precompiled headers are kept only where the cache may pass over macros that they do not use and over __TIME__.
# And ccache fails the compile when its folder cannot be written (a home that is missing or read-only).
set_ccache() {
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$root} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
    [[ -z ${CCACHE_DIR:-} ]] || return 0
    local home=${HOME:-/nonexistent} cache
    cache=${XDG_CACHE_HOME:-$home/.cache}
    [[ ! -d $home/.ccache ]] || cache=$home/.ccache
    if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
        export CCACHE_DIR=$root/build/.ccache
    fi
}

# What a configured folder was made with; another answer means configuring again.
configure_mark() { printf '%s\n' "$root" "$torch_folder" "$(sha256sum CMakePresets.json)" "$(! wants_cuda || nvcc_path)" "$@"; }

# What to build of it; all where it is empty.
targets=()

# need_build PRESET [FOLDER-NAME [cmake option...]]
need_build() {
    local name=${2:-$1} started=$SECONDS fresh='' mark
    local folder=$root/build/$name
    local -a options=("-DUNROLL_TORCH_DIR=$torch_folder" "${@:3}")
    wants_cuda || options+=(-DUNROLL_CUDA=off)
    mark=$(configure_mark "$1" "${options[@]}")
    set_ccache
    if [[ ! -f $folder/build.ninja || $(cat "$folder/unroll-configured.txt" 2>/dev/null) != "$mark" ]]; then
        fresh=1
        rm -rf -- "$folder"
        step "configure-$name" "Configure ($name)" "The last lines name what is missing. 'rm -rf build' starts afresh." \
            cmake --preset "$1" -B "$folder" "${options[@]}"
        grep -h -e '^-- LibTorch' -e '^-- CUDA half' "$logs/configure-$name.log" | sed 's/^-- /  /' >&2 || true
        printf '%s\n' "$mark" >"$folder/unroll-configured.txt"
    fi
    step "build-$name" "Build ($name)" "Where the compiler was killed, memory ran out: UNROLL_JOBS=1 ./dev ... takes less." \
        ninja -C "$folder" -j "$(jobs)" "${targets[@]}"
    if [[ -n $fresh && ${#targets[@]} -eq 0 ]]; then
        printf '%d\n' $((SECONDS - started)) >"$folder/full-build-seconds.txt"
    fi
    [[ -z $fresh ]] || dearest_files "$folder"
}

# The ten files that took longest to compile: where a build is to become shorter, one begins here. sed reads to the end:
# a pipe that head closes early fails the whole under pipefail, now and then.
dearest_files() {
    say "The ten files that took longest:"
    awk -F '\t' '$4 ~ /\.(o|gch)$/ && !seen[$4]++ { printf "%7.1f s  %s\n", ($2 - $1) / 1000, $4 }' "$1/.ninja_log" | sort -rn |
        sed -nE 's#CMakeFiles/[^/]*\.dir/##; s#\.(o|gch)$##; 1,10p' >&2
}
