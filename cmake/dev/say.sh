# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages, and steps that are watched while they run. Sourced by ./dev.

if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' red=$'\e[31m' yellow=$'\e[33m' dim=$'\e[2m' plain=$'\e[0m'
else
    bold='' red='' yellow='' dim='' plain=''
fi

say() { printf '%s\n' "$*" >&2; }
warn() { printf '%s%s%s\n' "$yellow" "$*" "$plain" >&2; }

# die WHAT HOW-TO-MEND [STATUS]
die() {
    printf '%s%s%s\n' "$red$bold" "$1" "$plain" >&2
    [[ -z ${2:-} ]] || printf '%s\n' "$2" >&2
    exit "${3:-1}"
}

usage() { die "$1" "See ./dev help." 2; }

duration() {
    if (($1 < 60)); then
        printf '%d s' "$1"
    else
        printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
    fi
}

# The newest thing worth telling from a log: ninja's [12/300], else its last line, shortened.
news() {
    local tail
    tail=$(tail -c 600 -- "$1" 2>/dev/null | tr '\r' '\n' | tr -cd '[:print:]\n' | grep -v '^ *$' | tail -n 1) || true
    if [[ $tail =~ ^\[[0-9]+/[0-9]+\] ]]; then
        tail=${BASH_REMATCH[0]}
    fi
    printf '%s' "${tail:0:60}"
}

# Runs beside a step: one line that renews itself on a terminal, else a line every half minute.
watch_step() {
    local what=$1 log=$2 started=$SECONDS
    while sleep 1; do
        if [[ -t 2 ]]; then
            printf '\r\e[K%s  %s%s  %s%s' "$what" "$dim" "$(duration $((SECONDS - started)))" "$(news "$log")" "$plain" >&2
        elif (((SECONDS - started) % 30 == 0)); then
            say "$what ... $(duration $((SECONDS - started)))  $(news "$log")"
        fi
    done
}

# step NAME WHAT HOW-TO-MEND COMMAND...: runs the command with its output in build/logs/NAME.log.
# A failure shows the end of that log and how to mend it, and ends the script.
step() {
    local what=$2 mend=$3 log=$logs/$1.log started=$SECONDS status=0 watcher
    shift 3
    : >"$log"
    watch_step "$what" "$log" 9>&- &
    watcher=$!
    # The watcher must not outlive the script, whatever ends it.
    trap 'kill "$watcher" 2>/dev/null || true' EXIT
    # A subshell of its own, so that a function stops at its first failing line.
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1 </dev/null 9>&-
    status=$?
    set -e
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    trap - EXIT
    [[ ! -t 2 ]] || printf '\r\e[K' >&2
    if [[ $status -eq 130 ]]; then
        die "$what: interrupted." "" 130
    elif [[ $status -ne 0 ]]; then
        printf '%s%s: failed after %s%s\n' "$red$bold" "$what" "$(duration $((SECONDS - started)))" "$plain" >&2
        failure_of "$log" | sed 's/^/  | /' >&2
        say "Whole log: $log"
        die "" "$mend"
    fi
    grep -q 'ninja: no work to do' -- "$log" || say "$what  ${dim}$(duration $((SECONDS - started)))$plain"
}

# What a reader needs of a failed log: a build's first failure, else the last lines.
failure_of() {
    if grep -q '^FAILED:' -- "$1"; then
        sed -n '/^FAILED:/,$p' -- "$1" | grep -v -E -e '^\[[0-9]+/[0-9]+\]|^(: && |/)[^ ]*(ccache|c\+\+|cmake|nvcc) |^ +inlined from |^ +from |^In file included' | cut -c 1-400 | sed -n 1,40p
    else
        tail -n 20 -- "$1" | cut -c 1-400
    fi
}

# One set-up at a time in this folder: two would break .venv.
lock() {
    command -v flock >/dev/null || return 0
    exec 9>"$root/build/.lock"
    if ! flock -n 9; then
        say "Another ./dev is at work in this folder; waiting for it."
        flock 9
    fi
}

unlock() { exec 9>&-; }
