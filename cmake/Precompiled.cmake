# SPDX-License-Identifier: GPL-3.0-or-later
# What most files include of torch, Qt and GoogleTest is read once and kept: a file that includes torch then compiles in half the time. Files
# still include all that they use; with UNROLL_PRECOMPILED off (as in a release build) a missing include shows. Only headers of others are
# named here, so that clones share what the compiler cache holds.
option(UNROLL_PRECOMPILED "Read the headers that most files include once" ON)

# Asserts are on in every build but a release. Only where they cost nothing: not in what computes.
function(unroll_asserts target)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:-UNDEBUG>)
endfunction()

set(_standard <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h> <tl/expected.hpp>)
set(_torch <ATen/core/Tensor.h> <ATen/TensorOperators.h> <ATen/core/grad_mode.h> <ATen/ops/cat.h> <ATen/ops/empty.h> <ATen/ops/zeros.h>)
set(_ops <torch/library.h> <torch/csrc/autograd/custom_function.h>)
set(UNROLL_TEST_HEADERS <fstream> <gmock/gmock.h> <gtest/gtest.h>)
set(UNROLL_QT_HEADERS <QAction> <QApplication> <QBoxLayout> <QComboBox> <QFileInfo> <QGraphicsView> <QLabel> <QLineEdit> <QMenu> <QMouseEvent> <QPainter>
    <QPainterPath> <QPushButton> <QTimer> <QToolButton>)
set(UNROLL_QT_DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII) # of all that includes them

# unroll_headers(<name> HEADERS... LIBRARIES... DEFINITIONS...): a set of headers under a name, read with the compile options of these libraries.
function(unroll_headers name)
    cmake_parse_arguments(arg "" "" "HEADERS;LIBRARIES;DEFINITIONS" ${ARGN})
    set(file "${CMAKE_BINARY_DIR}/generated/${name}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "// Generated: see cmake/Precompiled.cmake. Do not edit.\n" @ONLY)
    add_library(${name} STATIC "${file}")
    target_link_libraries(${name} PUBLIC unroll_options fmt::fmt ${arg_LIBRARIES})
    target_compile_definitions(${name} PUBLIC ${arg_DEFINITIONS})
    target_precompile_headers(${name} PRIVATE ${_standard} ${arg_HEADERS})
endfunction()

# unroll_precompiled(<target> <set of headers>): the target's files begin with what was read for the set.
function(unroll_precompiled target headers)
    if(UNROLL_PRECOMPILED)
        target_link_libraries(${target} PRIVATE ${headers})
        target_compile_options(${target} PRIVATE -fPIC)
        target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
endfunction()

# unroll_op_sources(<ops> <plain> <sources...>): which of them know torch, and which do not.
function(unroll_op_sources ops plain)
    set(found "")
    set(others "")
    foreach(source ${ARGN})
        file(STRINGS "${source}" registers REGEX "include <(torch|ATen)/")
        if(registers)
            list(APPEND found "${source}")
        else()
            list(APPEND others "${source}")
        endif()
    endforeach()
    set(${ops} "${found}" PARENT_SCOPE)
    set(${plain} "${others}" PARENT_SCOPE)
endfunction()

# unroll_precompiled_ops(<target> <plain sources...>): the same for those of its files that know torch, with the target's own options, and not
# for the plain ones named: files that include no torch would only wait for what was read, and Highway includes its own several times over.
function(unroll_precompiled_ops target)
    if(UNROLL_PRECOMPILED)
        list(TRANSFORM _ops REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE headers)
        target_precompile_headers(${target} PRIVATE "${headers}")
        set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
endfunction()

# The sets of headers with torch, once torch is found.
function(unroll_torch_headers)
    if(NOT UNROLL_PRECOMPILED)
        return()
    endif()
    unroll_headers(unroll_torch_headers HEADERS ${_torch} LIBRARIES torch_cpu OpenMP::OpenMP_CXX)
    if(UNROLL_TESTS)
        find_package(GTest REQUIRED)
        unroll_headers(unroll_torch_test_headers HEADERS ${_torch} ${UNROLL_TEST_HEADERS} LIBRARIES torch_cpu OpenMP::OpenMP_CXX GTest::gtest GTest::gmock)
    endif()
endfunction()

if(UNROLL_PRECOMPILED)
    unroll_headers(unroll_plain_headers)
    unroll_asserts(unroll_plain_headers) # as those that use it
endif()
