# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch as imported targets of our own: c10 and torch_cpu always, c10_cuda and torch_cuda for the plugin.
# The package that comes with torch is not used: it turns CUDA on and fails without a toolkit even for a CPU-only target, and libtorch.so
# itself drags in the whole CUDA half.

file(STRINGS "${CMAKE_SOURCE_DIR}/cmake/package/torch_wheels.txt" UNROLL_TORCH_VERSION REGEX "torch==")
string(REGEX REPLACE ".*==" "" UNROLL_TORCH_VERSION "${UNROLL_TORCH_VERSION}")
set(UNROLL_TORCH_DIR "" CACHE PATH "Folder of the torch wheel (holds lib/ and include/); empty: look in .venv, then ask python3")

function(_unroll_find_torch out)
    file(GLOB candidates "${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
    if(candidates)
        list(GET candidates 0 found)
    else()
        # find_spec names the folder without importing torch, which needs more than C++ does.
        execute_process(
            COMMAND python3 -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
            OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    set(${out} "${found}" PARENT_SCOPE)
endfunction()

if(NOT UNROLL_TORCH_DIR)
    _unroll_find_torch(_torch_dir)
else()
    set(_torch_dir "${UNROLL_TORCH_DIR}")
endif()
if(NOT EXISTS "${_torch_dir}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LibTorch not found. Run ./dev, which installs torch ${UNROLL_TORCH_VERSION} into .venv, or set UNROLL_TORCH_DIR.")
endif()
file(READ "${_torch_dir}/version.py" _torch_version_text)
string(REGEX MATCH "__version__ = '([^']+)'" _ "${_torch_version_text}")
set(_torch_version "${CMAKE_MATCH_1}")
if(NOT _torch_version MATCHES "^2\\.11\\.")
    message(FATAL_ERROR "torch ${_torch_version} found in ${_torch_dir}; Unroll is built against 2.11 (the C++ ABI changes with every minor version).")
endif()
message(STATUS "LibTorch: ${_torch_version} in ${_torch_dir}")

# torch_cpu itself needs libcudart and libcupti. They come from the toolkit, or from wheels beside torch (found through torch's own RPATH).
find_library(UNROLL_CUDART_LIBRARY NAMES libcudart.so.13 cudart
             HINTS "${_torch_dir}/../nvidia/cu13/lib" /usr/local/cuda/lib64 /usr/local/cuda-13.0/lib64)
find_library(UNROLL_CUPTI_LIBRARY NAMES libcupti.so.13 cupti
             HINTS "${_torch_dir}/../nvidia/cu13/lib" /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64)
set(UNROLL_RPATH "${_torch_dir}/lib")
foreach(_lib ${UNROLL_CUDART_LIBRARY} ${UNROLL_CUPTI_LIBRARY})
    get_filename_component(_dir "${_lib}" DIRECTORY)
    list(APPEND UNROLL_RPATH "${_dir}")
endforeach()
list(REMOVE_DUPLICATES UNROLL_RPATH)

# The wheel brings headers of another fmt than the system's library. No header of torch that we include wants them, so the system's come
# first: one fmt in a program, and no copy of it compiled into every file.
find_path(UNROLL_FMT_INCLUDE fmt/format.h REQUIRED)
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/before_torch")
file(CREATE_LINK "${UNROLL_FMT_INCLUDE}/fmt" "${CMAKE_BINARY_DIR}/before_torch/fmt" SYMBOLIC)

function(_unroll_import name file)
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES
        IMPORTED_LOCATION "${_torch_dir}/lib/${file}"
        INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_BINARY_DIR}/before_torch;${_torch_dir}/include;${_torch_dir}/include/torch/csrc/api/include")
endfunction()

_unroll_import(c10 libc10.so)
_unroll_import(torch_cpu libtorch_cpu.so)
target_link_libraries(torch_cpu INTERFACE c10)
# Operators on tensors come with their own few headers instead of all of ATen's.
target_compile_definitions(torch_cpu INTERFACE AT_PER_OPERATOR_HEADERS)
foreach(_dir ${UNROLL_RPATH})
    # RPATH, not RUNPATH: the wheel's libraries look for their own dependencies through it.
    target_link_options(c10 INTERFACE "LINKER:-rpath,${_dir}" "LINKER:-rpath-link,${_dir}" "LINKER:--disable-new-dtags")
endforeach()
target_link_options(c10 INTERFACE "LINKER:--allow-shlib-undefined")
