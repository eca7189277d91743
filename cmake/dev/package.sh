# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev package: the .deb of the studio and the command line, without LibTorch (cmake/Package.cmake). Sourced by ./dev.

run_package() {
    [[ $# -eq 0 ]] || usage "package takes no arguments"
    prepare_programs
    make_package
    say "Packed $package ($(du -m "$package" | cut -f 1) MB). Install it with: sudo apt install $package"
}

# Sets package, the file.
make_package() {
    need_program dpkg-shlibdeps dpkg-dev
    need_program file file
    step package "Package" "See the log." pack_deb
    package=$(echo "$build"/package/unroll_*.deb)
}

# A folder of this build: what an older package has left is not taken for the new one.
pack_deb() {
    rm -rf -- "$build/package"
    cpack --config "$build/CPackConfig.cmake" -B "$build/package"
    rm -rf -- "$build/package/_CPack_Packages"
}
