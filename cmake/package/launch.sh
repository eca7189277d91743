#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# unroll and unroll-cli, as installed: starts the program it is called by the name of, with LibTorch. The package does
# not hold LibTorch (0.5 GB to load, 1.3 GB on disk): the first start makes a Python environment with it in the user's
# data folder, in one piece or not at all.
#
#   UNROLL_TORCH    a folder of torch (holds lib/) of the right version: it is used, and nothing is made
#   UNROLL_PYTHON   the Python that makes the environment (3.11 to 3.13, with venv); default: python3
#   XDG_DATA_HOME   where unroll/torch-<version> lies; default: ~/.local/share
#
# LibTorch is found through LD_LIBRARY_PATH: its folder is the user's, so no RPATH written into the programs could name
# it. What comes with the programs is found through their RPATH, $ORIGIN, wherever the package is unpacked. Messages go
# to stderr: stdout is the program's.
set -u
umask 022
name=$(basename -- "$0")
here=$(dirname -- "$(readlink -f -- "$0")")
wheels=$here/torch_wheels.txt
version=$(sed -n 's/.* torch==//p' "$wheels")
data=${XDG_DATA_HOME:-${HOME:-}/.local/share}/unroll
part='' worker='' window='' shown=0

# --- Messages. A start without a terminal, from the desktop's menu, has a window where zenity or kdialog is there.

say() { printf '%s\n' "$*" >&2; }
no_terminal() { [ ! -t 2 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; }
have() { command -v "$1" >/dev/null 2>&1; }

# fail SENTENCE: leaves nothing half made.
fail() {
    clear_up
    say "$name: $1"
    if no_terminal; then
        if have zenity; then
            zenity --error --no-markup --title=Unroll --text="$1" 2>/dev/null
        elif have kdialog; then
            kdialog --title Unroll --error "$1" 2>/dev/null
        fi
    fi
    exit 1
}

open_window() {
    no_terminal || return 0
    if have zenity; then
        mkfifo "$part.window" || return 0
        zenity --progress --title=Unroll --width=440 --text="$1" <"$part.window" >/dev/null 2>&1 9>&- &
        window=$!
        exec 8>"$part.window"
        rm -f -- "$part.window"
    elif have kdialog && have qdbus; then
        kde_window=$(kdialog --title Unroll --progressbar "$1" 100 2>/dev/null) || kde_window=''
    fi
}

# show PERCENT SENTENCE
show() {
    if [ -n "$window" ]; then
        printf '%d\n# %s\n' "$1" "$2" 2>/dev/null >&8
    elif [ -n "${kde_window:-}" ]; then
        # shellcheck disable=SC2086 # a service and a path
        { qdbus $kde_window Set '' value "$1" && qdbus $kde_window setLabelText "$2"; } >/dev/null 2>&1
    fi
    if [ -t 2 ]; then
        printf '\r\033[K%s' "$2" >&2
    elif [ $((shown % 30)) -eq 0 ]; then
        say "$2"
    fi
    shown=$((shown + 1))
}

close_window() {
    [ ! -t 2 ] || [ "$shown" -eq 0 ] || printf '\r\033[K' >&2
    if [ -n "$window" ]; then
        exec 8>&-
        kill "$window" 2>/dev/null
        wait "$window" 2>/dev/null
        window=''
    elif [ -n "${kde_window:-}" ]; then
        # shellcheck disable=SC2086
        qdbus $kde_window close >/dev/null 2>&1
        kde_window=''
    fi
}

# --- Where LibTorch is.

# fits FOLDER: torch of exactly this version, by what the folder says; nothing in it is run.
fits() { [ -e "$1/lib/libtorch_cpu.so" ] && grep -q "^__version__ = '${version}['+]" "$1/version.py" 2>/dev/null; }

# CUDA needs 1.7 GB more of NVIDIA's libraries: only for a package with the CUDA half, on a machine with a driver.
gpu_here() {
    [ -e "$here/libunroll_cuda.so" ] && PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1 '
}

# find_torch ENVIRONMENT...: sets torch to that of the first that is there.
find_torch() {
    for environment in "$@"; do
        for torch in "$data/$environment"/lib/python3*/site-packages/torch; do
            ! fits "$torch" || return 0
        done
    done
    return 1
}

# --- Making it.

find_python() {
    question='import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
    if [ -n "${UNROLL_PYTHON:-}" ]; then
        set -- "$UNROLL_PYTHON"
    else
        set -- python3 /usr/bin/python3 python3.13 python3.12 python3.11
    fi
    for candidate in "$@"; do
        if "$candidate" -I -c "$question" >/dev/null 2>&1; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    return 1
}

clear_up() {
    if [ -n "$worker" ]; then
        kill -TERM -- "-$worker" 2>/dev/null
        wait "$worker" 2>/dev/null
        worker=''
    fi
    close_window
    [ -z "$part" ] || rm -rf -- "$part" || rm -rf -- "$part" # a child that was ended last may have written between
    part=''
}

interrupted() {
    trap '' INT TERM HUP
    clear_up
    say "$name: interrupted. Nothing was kept; the next start begins anew."
    exit 130
}

# megabytes_of FOLDER, free_megabytes FOLDER
megabytes_of() { du -sm -- "$1" 2>/dev/null | cut -f 1; }
free_megabytes() { df -Pm -- "$1" 2>/dev/null | awk 'NR == 2 { print $4 }'; }

# A session of its own (setsid), so that all of it can be ended, and so that a Ctrl-C comes to this script alone, which
# then clears up. watched COMMAND...: its status. What it prints goes to the log, how far it is to the terminal or the
# window.
watched() {
    setsid "$@" >>"$log" 2>&1 </dev/null 9>&- 8>&- &
    worker=$!
    while kill -0 "$worker" 2>/dev/null; do
        size=$(megabytes_of "$part")
        [ "${size:-0}" -le "$most" ] || most=$size
        show $((most >= whole ? 99 : most * 100 / whole)) "LibTorch $version for Unroll: $most of about $whole MB written"
        sleep 1
        if [ -n "$window" ] && ! kill -0 "$window" 2>/dev/null; then
            [ "$shown" -le 2 ] || interrupted # its Cancel; a window that ends at once could not be opened
            window=''
        fi
    done
    wait "$worker"
    status=$?
    worker=''
    return $status
}

# Everything that pip writes lies below the environment: one disk to run full, one folder to remove.
pip() {
    mkdir -p "$part/tmp"
    watched env TMPDIR="$part/tmp" "$part/bin/python" -I -m pip install --disable-pip-version-check --no-input --no-cache-dir --no-deps \
        --retries 2 --progress-bar off "$@"
}

reason() {
    if grep -q -e 'No space left' -e 'Disk quota' "$log"; then
        echo "the disk is full ($data). About $needed MB are needed; make room, or set XDG_DATA_HOME to a folder with more."
    elif grep -q -E 'Failed to establish|[Nn]ame resolution|Name or service|unreachable|timed out|Connection (refused|aborted|reset|broken)|IncompleteRead|BadZipFile|is invalid|Proxy|SSL' "$log"; then
        echo "the package index could not be reached or broke off. Check the network (behind a proxy: https_proxy), then start Unroll again."
    elif grep -q -e 'No matching distribution' "$log"; then
        echo "the package index has no $(grep -o 'found for .*' "$log" | tail -n 1 | cut -c 11-) for $("$python" --version 2>&1). Unroll needs it; 'pip config list' shows which index is asked."
    else
        tail -n 1 "$log"
    fi
}

failed() {
    why=$(reason)
    kept=$data/torch-failed.log
    mv -f -- "$log" "$kept" 2>/dev/null || kept=''
    fail "LibTorch $version could not be installed: $why${kept:+ Details: $kept}"
}

# make_torch ENVIRONMENT: beside its place, then renamed. One start at a time makes it, others wait; what a killed start
# has left is removed.
make_torch() {
    mkdir -p "$data" 2>/dev/null || true
    [ -w "$data" ] || fail "cannot write to $data. Make it writable, or set XDG_DATA_HOME."
    exec 9>"$data/torch.lock"
    if ! flock -n 9; then
        say "$name: LibTorch is being installed by another start of Unroll; waiting for it."
        flock 9
    fi
    if find_torch "$1"; then # made meanwhile
        exec 9>&-
        return 0
    fi
    rm -rf -- "$data"/torch-*.part "$data"/torch-*.part.window
    case $1 in
        *-gpu) whole=5200 needed=6500 ;;
        *) whole=1800 needed=2200 ;;
    esac
    free=$(free_megabytes "$data")
    [ "${free:-$needed}" -ge "$needed" ] ||
        fail "LibTorch $version needs $needed MB in $data, where only $free MB are free. Make room, or set XDG_DATA_HOME to a folder with more."
    python=$(find_python) || fail "installing LibTorch $version needs Python 3.11, 3.12 or 3.13 with venv, which ${UNROLL_PYTHON:-this machine} has not. On Debian and Ubuntu: sudo apt install python3-venv"
    say "$name: first start: installing LibTorch $version into $data/$1 (once; about $whole MB on disk)."
    trap interrupted INT TERM HUP
    trap '' PIPE # of a window that is closed
    part=$data/$1.part
    log=$part/install.log
    most=0
    mkdir "$part" || fail "cannot write to $data."
    open_window "LibTorch $version for Unroll"
    watched "$python" -I -m venv "$part" || failed
    pip "torch==$version" || failed
    # A torch without its CUDA half links to none of NVIDIA's; with it, even libtorch_cpu links to two of them.
    if [ -e "$(echo "$part"/lib/python3*/site-packages/torch/lib/libtorch_cuda.so)" ]; then
        case $1 in
            *-gpu) which=. ;;
            *) which='^lib(cudart|cupti)' ;;
        esac
        # shellcheck disable=SC2046 # names of wheels
        pip $(awk -v which="$which" '$2 ~ /^nvidia-/ && $1 ~ which { print $2 }' "$wheels") || failed
    fi
    fits "$(echo "$part"/lib/python3*/site-packages/torch)" || failed
    # What Python itself needs of torch is left out, so this one cannot import it: without its programs nobody is led to
    # it (doctor, Verify).
    rm -rf -- "${part:?}/bin" "$part/tmp" "$log" "$data/torch-failed.log"
    sync -f "$part" 2>/dev/null # all of it is on disk before its name says so
    mv -T -- "$part" "$data/$1" || fail "cannot rename $part to $data/$1."
    part=''
    close_window
    trap - INT TERM HUP PIPE
    exec 9>&-
    say "$name: LibTorch $version is in place."
    find_torch "$1"
}

# --- Start.

if [ ! -x "$here/$name" ] || [ "$here/$name" = "$(readlink -f -- "$0")" ]; then
    fail "call it as unroll or unroll-cli."
fi
if [ -n "${UNROLL_TORCH:-}" ]; then
    torch=$UNROLL_TORCH
    fits "$torch" || fail "UNROLL_TORCH=$torch is not torch $version, which this package was built with (a folder with lib/libtorch_cpu.so and version.py)."
else
    case $data in /*) ;; *) fail "neither HOME nor XDG_DATA_HOME names a folder for LibTorch." ;; esac
    if gpu_here; then
        find_torch "torch-$version-gpu" || make_torch "torch-$version-gpu"
    else
        find_torch "torch-$version" "torch-$version-gpu" || make_torch "torch-$version"
    fi
fi

folders=$torch/lib
for folder in "$torch"/../nvidia/*/lib "${CUDA_HOME:-/usr/local/cuda}/lib64" "${CUDA_HOME:-/usr/local/cuda}/extras/CUPTI/lib64"; do
    [ ! -d "$folder" ] || folders=$folders:$folder
done
export LD_LIBRARY_PATH="$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/$name" "$@"
