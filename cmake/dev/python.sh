# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# .venv: LibTorch, and for the tests what `import torch` and the test packages need. Sourced by ./dev.
#
# torch's own requirements pull 2.7 GB. Installed here, without its dependencies:
#   engine   torch (531 MB) with cudart and cupti (13 MB), which even libtorch_cpu needs; with nvcc, all that
#            libtorch_cuda links to
#   study    Optuna and what it needs (app/study/requirements.txt, 40 MB): ./dev study, and the tests
#   tests    every library that `import torch` links to, since Python always loads the CUDA half (1.7 GB on a machine
#            without the CUDA toolkit, 0.23 GB with it), and the packages of tests/python/requirements.txt
# A library that the machine has is not downloaded.

# soname, wheel
torch_wheel=$(sed -n 's/^libtorch_cpu\.so *//p' cmake/package/torch_wheels.txt)
cuda_wheels=$(sed '/^#/d; /^libtorch_cpu\.so/d' cmake/package/torch_wheels.txt)

toolkit_folders() {
    local folder
    for folder in "${CUDA_HOME:-/usr/local/cuda}"/lib64 "${CUDA_HOME:-/usr/local/cuda}"/extras/CUPTI/lib64; do
        [[ ! -d $folder ]] || printf '%s\n' "$folder"
    done
}

# The compiler of a CUDA toolkit 13, or nothing: an older one is as good as none.
nvcc_path() {
    local candidate
    for candidate in "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" "$(command -v nvcc || true)"; do
        if [[ -x $candidate ]] && "$candidate" --version 2>/dev/null | grep -q 'release 13\.'; then
            printf '%s' "$candidate"
            return
        fi
    done
}
have_nvcc() { [[ -n $(nvcc_path) ]]; }

# Whether the CUDA half is built: where there is an NVIDIA GPU, or UNROLL_CUDA=1 asks for it; 0: never. It takes a
# minute and a half of a core.
wants_cuda() {
    case ${UNROLL_CUDA:-} in
        1) return 0 ;;
        0) return 1 ;;
        *) [[ -e /proc/driver/nvidia/version || -e /dev/dxg ]] ;;
    esac
}

# The sonames the machine's loader or a CUDA toolkit has.
machine_libraries() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | sed -n 's/^\t\([^ ]*\) .*/\1/p' || true
    local folder
    while read -r folder; do
        ls "$folder"
    done < <(toolkit_folders)
}

# A machine's libraries count only with CUDA 13 there: several sonames are the same in CUDA 12.
lacking_wheels() {
    local have soname wheel
    have=$'\n'$(machine_libraries)$'\n'
    [[ $have == *$'\nlibcudart.so.13\n'* ]] || have=
    while read -r soname wheel; do
        [[ -n $soname ]] || continue
        [[ $1 == tests || $soname == libcudart* || $soname == libcupti* ]] || { wants_cuda && have_nvcc; } || continue
        [[ $have == *$'\n'$soname$'\n'* ]] || printf '%s\n' "$wheel"
    done <<<"$cuda_wheels"
}

need_python() {
    if [[ -n ${UNROLL_PYTHON:-} ]]; then
        python=$UNROLL_PYTHON
        torch_folder=$("$python" -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")') ||
            die "UNROLL_PYTHON=$UNROLL_PYTHON cannot be run." "Name a Python that has torch 2.11, or unset it."
        [[ -n $torch_folder ]] || die "UNROLL_PYTHON=$UNROLL_PYTHON has no torch." "Install torch==2.11.0 there, or unset it."
        return 0
    fi
    python=$root/.venv/bin/python
    install_set engine "$torch_wheel"$'\n'"$(lacking_wheels engine)" -
    if [[ $1 == tests ]]; then
        install_set tests "$(lacking_wheels tests)" tests/python/requirements.txt
    fi
    if [[ $1 == tests || $1 == study ]]; then
        install_set study '' app/study/requirements.txt
    fi
    torch_folder=$(echo "$root"/.venv/lib/python3*/site-packages/torch)
}

# install_set NAME WHEELS FILE: does nothing when .venv already holds exactly this set. FILE: a requirements file, or -.
install_set() {
    local stamp=$root/.venv/unroll-$1.txt want=${2%$'\n'} # as $(<file) reads it: without the line end
    [[ $3 == - ]] || want+=$'\n'$(<"$root/$3")
    if [[ -x $python && -f $stamp && $(<"$stamp") == "$want" ]]; then
        return 0
    fi
    make_venv
    # shellcheck disable=SC2086 # wheel names hold no spaces
    [[ -z $2 ]] || step "pip-$1" "$(set_title "$1" "$2")" "$(pip_advice)" pip_install $2
    if [[ $3 != - ]]; then
        step "pip-$1-packages" "Python packages ($3)" "$(pip_advice)" pip_install -r "$root/$3"
    fi
    if [[ $1 == tests ]]; then
        step import-torch "Python can import torch" "Remove .venv and run the command again; if it fails again, the machine's CUDA libraries
do not match torch 2.11: unset CUDA_HOME, or take /usr/local/cuda off the loader's path." with_toolkit "$python" -c 'import torch'
    fi
    printf '%s\n' "$want" >"$stamp"
}

set_title() {
    local -a wheels
    mapfile -t wheels <<<"${2%$'\n'}"
    if [[ $1 == engine ]]; then
        printf 'LibTorch 2.11.0 into .venv (531 MB, and %d NVIDIA libraries)' $((${#wheels[@]} - 1))
    else
        printf 'What "import torch" needs into .venv (%d NVIDIA libraries)' ${#wheels[@]}
    fi
}

pip_advice() {
    printf 'Mostly the network, the package index (pip config list), or the disk (about 6 GB are needed in %s and %s): see the log,\nthen run the command again; what is already downloaded stays.' \
        "$root/.venv" "${TMPDIR:-/tmp}"
}

pip_install() { "$python" -m pip install --disable-pip-version-check --no-input --no-deps --progress-bar off "$@"; }

# A .venv whose Python has gone (moved folder, upgraded system) is made again. Only a folder that is a virtual
# environment is removed.
make_venv() {
    if [[ -x $python ]] && "$python" -c 'import pip' 2>/dev/null; then
        return 0
    fi
    if [[ -e $root/.venv && ! -f $root/.venv/pyvenv.cfg ]]; then
        die "$root/.venv is in the way and is no virtual environment." "Move it away, then run the command again."
    fi
    local free maker
    free=$(df -Pk -- "$root" | awk 'NR == 2 { print int($4 / 1048576) }')
    if [[ $free -lt 4 ]]; then
        warn "Only $free GB are free in $root; LibTorch needs 2 GB, with the tests' libraries 6 GB."
    fi
    maker=$(find_python) || die "No Python 3.11, 3.12 or 3.13 with the venv module and Python.h was found." \
        "Install one (Debian: sudo apt-get install python3-venv python3-dev), or name one: UNROLL_PYTHON=/path/to/python ./dev ..."
    rm -rf -- "$root/.venv"
    step venv "Python environment .venv" "Debian's Python needs the package python3-venv." "$maker" -m venv "$root/.venv"
}

# Runs a command that finds a CUDA toolkit's libraries though the loader does not know its folder.
with_toolkit() {
    local folders=${LD_LIBRARY_PATH:-}
    if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -q 'libcudart.so.13 '; then
        folders=$(toolkit_folders | tr '\n' ':')$folders
    fi
    LD_LIBRARY_PATH=$folders "$@"
}
