# shellcheck shell=bash disable=SC2154 # root, preset, build, logs, python are those of ./dev
