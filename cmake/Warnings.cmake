# SPDX-License-Identifier: GPL-3.0-or-later
# Warnings are errors in our code; headers of others are SYSTEM and stay silent.
option(UNROLL_WARNINGS_AS_ERRORS "Treat warnings as errors" ON)
add_library(unroll_options INTERFACE)
target_compile_features(unroll_options INTERFACE cxx_std_20)
target_include_directories(unroll_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(unroll_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-missing-field-initializers>)
# What is guarded by a mutex (core/base/thread_annotations.h); clang alone can tell.
target_compile_options(unroll_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>)
if(UNROLL_WARNINGS_AS_ERRORS)
    target_compile_options(unroll_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
set(UNROLL_SANITIZE "" CACHE STRING "Sanitizers for everything of ours: address,undefined or thread; for fuzzers fuzzer-no-link too")
if(UNROLL_SANITIZE)
    # g++ 12 takes variants under a sanitizer for uninitialised. -O1 and line tables compile in half the time. Asserts are on.
    target_compile_options(unroll_options INTERFACE -fsanitize=${UNROLL_SANITIZE} -fno-omit-frame-pointer
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -O1 -g1 -UNDEBUG)
    target_link_options(unroll_options INTERFACE -fsanitize=${UNROLL_SANITIZE})
endif()
