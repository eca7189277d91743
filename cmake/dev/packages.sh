# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# System packages: those of Debian 12, in the names of Debian and Ubuntu. a|b: either will do. Sourced by ./dev.
# libqt6opengl6-dev: Qt's charts ask for it without saying so in their package.
# Ubuntu 24.04 names the same packages (Qt's svg and charts as libqt6svg6-dev, libqt6charts6-dev); that list has not
# been tried.

packages_build=(ca-certificates git g++ cmake ninja-build libhwy-dev nlohmann-json3-dev libcli11-dev libfmt-dev libexpected-dev
    zlib1g-dev libpng-dev libcairo2-dev libssl-dev libcsv-dev libgtest-dev libgmock-dev libbenchmark-dev locales
    clang-format-14)
packages_studio=(qt6-base-dev libqt6opengl6-dev 'qt6-charts-dev|libqt6charts6-dev' 'qt6-svg-dev|libqt6svg6-dev' libgl1-mesa-dev fonts-dejavu-core)
# The presets clang, tidy and fuzz; clang-tidy and the fuzzers' runtime come with them only as recommendations.
packages_clang=(clang clang-tidy 'libclang-rt-14-dev|libclang-rt-18-dev' libomp-dev)
# Faster builds, and windows on Wayland: installed along with the others, never asked for.
packages_extra=(ccache mold qt6-wayland)

# A Python that can make the .venv: torch 2.11 and the pinned test packages have wheels for 3.11 to 3.13. One test
# package compiles itself, hence Python.h.
python_question='
import ensurepip, os, sys, sysconfig, venv
sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13) and os.path.exists(sysconfig.get_path("include") + "/Python.h")))'

find_python() {
    local candidate
    for candidate in "${UNROLL_PYTHON:-}" python3 /usr/bin/python3 python3.12 python3.11 python3.13; do
        [[ -n $candidate ]] || continue
        if "$candidate" -c "$python_question" 2>/dev/null; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    return 1
}

wanted_packages() {
    printf '%s\n' "${packages_build[@]}"
    [[ $preset == headless || $preset == tsan ]] || printf '%s\n' "${packages_studio[@]}"
    [[ $preset != clang && $preset != tidy && $preset != fuzz ]] || printf '%s\n' "${packages_clang[@]}"
    if [[ ! -x $root/.venv/bin/python && -z ${UNROLL_PYTHON:-} ]] && ! find_python >/dev/null; then
        printf '%s\n' python3-venv python3-dev
    fi
}

# Of the names on stdin, those that dpkg does not have.
missing_of() {
    local have entry name found
    have=$'\n'$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null)$'\n'
    while read -r entry; do
        found=
        for name in ${entry//|/ }; do
            [[ $have != *$'\nii '$name$'\n'* ]] || found=1
        done
        [[ -n $found ]] || printf '%s\n' "$entry"
    done
}

# The name this system knows an entry a|b by.
known_name() {
    local name
    for name in ${1//|/ }; do
        if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then
            printf '%s\n' "$name"
            return
        fi
    done
    printf '%s\n' "${1%%|*}"
}

need_packages() {
    [[ ${UNROLL_PACKAGES:-} != skip ]] || return 0
    local -a missing extra
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        foreign_system
        return
    fi
    mapfile -t missing < <(wanted_packages | missing_of)
    [[ ${#missing[@]} -gt 0 ]] || return 0
    mapfile -t extra < <(printf '%s\n' "${packages_extra[@]}" | missing_of)
    install_packages "${missing[@]}" "${extra[@]}"
}

# As root or through sudo; elsewhere says what is missing and stops.
install_packages() {
    local -a admin=() names=()
    if [[ $(id -u) -ne 0 ]]; then
        admin=(sudo)
        may_sudo || ask_for_packages "$@"
    fi
    step apt-update "Package lists" "Check the network and /etc/apt/sources.list, then run the command again." \
        "${admin[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update
    local entry
    for entry in "$@"; do
        names+=("$(known_name "$entry")")
    done
    say "Missing packages: ${names[*]}"
    step apt-install "System packages (${#names[@]})" "$(package_advice "${names[@]}")" \
        "${admin[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
        install --no-install-recommends "${names[@]}"
}

package_advice() {
    printf 'Install them by hand, then run the command again:\n  sudo apt-get install %s' "$*"
}

# True when sudo is there and either needs no password or can ask for one.
may_sudo() {
    command -v sudo >/dev/null || return 1
    sudo -n true 2>/dev/null && return 0
    [[ -t 0 && -t 2 ]] || return 1
    say "System packages are missing; sudo may ask for your password."
    sudo -v
}

ask_for_packages() {
    local -a names=()
    local entry
    for entry in "$@"; do names+=("$(known_name "$entry")"); done
    die "System packages are missing, and this user may not install them." \
        "Have them installed, then run the command again:
  sudo apt-get install ${names[*]}"
}

# Not Debian or Ubuntu: what is there cannot be asked, so the list is for the user to go through.
foreign_system() {
    die "Not a Debian or Ubuntu system: Unroll cannot install packages here." \
        "Install what these Debian packages hold, then run the command again with UNROLL_PACKAGES=skip:
  $(wanted_packages | sed 's/|.*//' | tr '\n' ' ')"
}

# need_program PROGRAM PACKAGE: for commands that few people use.
need_program() {
    command -v "$1" >/dev/null && return 0
    if [[ ${UNROLL_PACKAGES:-} != skip ]] && command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
        install_packages "$2"
    else
        die "$1 is not installed." "Install it, then run the command again."
    fi
}
