# SPDX-License-Identifier: GPL-3.0-or-later
# The files of core/export/python/, which model.py is joined from, and of loading/ there, which load an export, as
# texts: name.py becomes unroll::py::name (core/export/python_parts.h).
# stand_ins.py stands for what the export writes by itself and stays out.

file(GLOB _part_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/core/export/python/*.py" "${CMAKE_SOURCE_DIR}/core/export/python/loading/*.py")
list(FILTER _part_files EXCLUDE REGEX "/stand_ins\\.py$")
set(_parts "")
foreach(_file ${_part_files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_file}")
    get_filename_component(_name "${_file}" NAME_WE)
    file(READ "${_file}" _part)
    string(APPEND _parts "const char* const ${_name} = R\"~~~(${_part})~~~\";\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/python_parts_text.cpp" @ONLY CONTENT
"// Generated from core/export/python/. Do not edit.
#include \"core/export/python_parts.h\"
namespace unroll::py {
@_parts@} // namespace unroll::py
")
