# SPDX-License-Identifier: GPL-3.0-or-later
# Files that include torch, CLI11 or GoogleTest spend most of their compile in those headers. unroll_together makes files that include SIZE of
# them each, by paths from the root, so that clones share what the compiler cache holds. Helpers in unnamed namespaces of one target therefore
# need names of their own. With UNROLL_TOGETHER off every file is compiled by itself, which shows a missing include.
option(UNROLL_TOGETHER "Compile several source files at a time where that saves much" ON)

# unroll_together(<out> <target> <size> <sources...>)
function(unroll_together out target size)
    if(NOT UNROLL_TOGETHER)
        set(${out} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(sources ${ARGN})
    list(LENGTH sources count)
    set(written "")
    foreach(begin RANGE 0 ${count} ${size})
        if(begin LESS count)
            list(SUBLIST sources ${begin} ${size} batch)
            set(lines "// Generated: see cmake/Together.cmake. Do not edit.\n")
            foreach(source ${batch})
                file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${source}")
                string(APPEND lines "#include \"${path}\"\n")
            endforeach()
            set(file "${CMAKE_BINARY_DIR}/generated/${target}_${begin}.cpp")
            file(CONFIGURE OUTPUT "${file}" CONTENT "${lines}" @ONLY)
            list(APPEND written "${file}")
        endif()
    endforeach()
    # Types of a file lie in unnamed namespaces; g++ minds that in an included file.
    set_source_files_properties(${written} PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
    set(${out} ${written} PARENT_SCOPE)
endfunction()
