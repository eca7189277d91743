# shellcheck shell=bash disable=SC2154 # root, counts are those of ./dev and test.sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev format: clang-format over the C++ that git knows. Sourced by ./dev.

# Other versions break lines elsewhere.
format_version=14

# The clang-format of that version, under either of its names; nothing where there is none.
formatter() {
    local name
    for name in "clang-format-$format_version" clang-format; do
        if "$name" --version 2>/dev/null | grep -q "version $format_version\."; then
            printf '%s' "$name"
            return
        fi
    done
}

need_formatter() {
    [[ -z $(formatter) ]] || return 0
    need_program "clang-format-$format_version" "clang-format-$format_version"
}

format_sources() { git ls-files -z -- '*.h' '*.cpp' '*.cu'; }

run_format() {
    case ${1:-} in
        '') ;;
        --check)
            local files
            files=$(ill_formatted) || die "clang-format failed." "$files"
            [[ -z $files ]] || die "Not formatted:" "$files
./dev format puts them right."
            return 0
            ;;
        *) usage "format takes --check and nothing else" ;;
    esac
    need_formatter
    format_sources | xargs -0 -r "$(formatter)" -i
}

# Names of the files that clang-format would change.
ill_formatted() {
    need_formatter
    format_sources | xargs -0 -r -n 50 -P "$(nproc)" "$(formatter)" --dry-run -ferror-limit=1 2>&1 |
        sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | sort -u
}

# At the start of ./dev test, for its count: one test. The packages have brought clang-format; it is skipped where they
# may not be asked for (UNROLL_PACKAGES=skip), and says so.
check_format() {
    local files
    if [[ -z $(formatter) ]]; then
        say "clang-format $format_version is not here: the formatting is not looked at."
        printf '0 0 1\n'
        return
    fi
    files=$(ill_formatted)
    if [[ -z $files ]]; then
        printf '1 0 0\n'
    else
        printf '%s\n' "--- Not formatted; ./dev format puts them right:" "$files" >&2
        printf '0 1 0\n'
    fi
}
