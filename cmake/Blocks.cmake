# SPDX-License-Identifier: GPL-3.0-or-later
# The block list: every folder nodes/<block>/ with a spec.cpp is a block. The generated files call each block's functions by name, so
# that nothing registers itself and no linker drops anything.
#
#   spec.cpp      BlockSpec spec()                                          namespace unroll::nodes::<block>
#   block.cpp     std::unique_ptr<Block> make(const BlockSetup&)            computing blocks
#   source.cpp    Result<std::shared_ptr<const Dataset>> open(const SourceSetup&)     data blocks
#   onnx.cpp      Result<void> writeStep(onnx::Step&)                    blocks that are exported as ONNX: one step of them
#   help.md, icon.svg, reference.py   embedded as text, with what the latter takes from nodes/shared/*.py

file(GLOB _spec_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/nodes/*/spec.cpp")
set(UNROLL_BLOCKS "")
foreach(_file ${_spec_files})
    get_filename_component(_dir "${_file}" DIRECTORY)
    get_filename_component(_name "${_dir}" NAME)
    list(APPEND UNROLL_BLOCKS "${_name}")
endforeach()
list(SORT UNROLL_BLOCKS)

set(_spec_decls "")
# Puts the definitions of nodes/shared/X.py in the place of a line `from shared.X import ...`: a reference stands alone wherever it is read.
function(unroll_with_shared reference)
    set(_text "${${reference}}")
    while(_text MATCHES "from shared\\.([a-z_]+) import [^\n]*\n")
        set(_line "${CMAKE_MATCH_0}")
        set(_shared "${CMAKE_SOURCE_DIR}/nodes/shared/${CMAKE_MATCH_1}.py")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_shared}")
        file(READ "${_shared}" _definitions)
        string(FIND "${_definitions}" "\n\n\n" _begin) # after licence and imports
        math(EXPR _begin "${_begin} + 1")
        string(SUBSTRING "${_definitions}" 0 ${_begin} _head)
        string(REGEX MATCHALL "from shared\\.[a-z_]+ import [^\n]*\n" _nested "${_head}") # what it takes itself
        string(REPLACE ";" "" _nested "${_nested}")
        string(SUBSTRING "${_definitions}" ${_begin} -1 _definitions)
        string(REPLACE "${_line}" "${_nested}${_definitions}" _text "${_text}")
    endwhile()
    set(${reference} "${_text}" PARENT_SCOPE)
endfunction()

set(_spec_calls "")
set(_build_decls "")
set(_build_calls "")
set(_onnx_decls "")
set(_onnx_calls "")
set(_texts "")
foreach(_block ${UNROLL_BLOCKS})
    set(_dir "${CMAKE_SOURCE_DIR}/nodes/${_block}")
    string(APPEND _spec_decls "namespace nodes::${_block} { BlockSpec spec(); }\n")
    set(_help "")
    set(_icon "")
    set(_reference "")
    foreach(_text help.md icon.svg reference.py)
        if(EXISTS "${_dir}/${_text}")
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_dir}/${_text}")
        endif()
    endforeach()
    if(EXISTS "${_dir}/help.md")
        file(READ "${_dir}/help.md" _help)
    endif()
    if(EXISTS "${_dir}/icon.svg")
        file(READ "${_dir}/icon.svg" _icon)
    endif()
    if(EXISTS "${_dir}/reference.py")
        file(READ "${_dir}/reference.py" _reference)
        unroll_with_shared(_reference)
    endif()
    string(APPEND _spec_calls "    addSpec(registry, nodes::${_block}::spec(), R\"~~~(${_help})~~~\", R\"~~~(${_icon})~~~\", R\"~~~(${_reference})~~~\");\n")
    if(EXISTS "${_dir}/block.cpp")
        string(APPEND _build_decls "namespace nodes::${_block} { std::unique_ptr<Block> make(const BlockSetup&); }\n")
        string(APPEND _build_calls "    builders.addBlock(\"${_block}\", &nodes::${_block}::make);\n")
    endif()
    if(EXISTS "${_dir}/onnx.cpp")
        string(APPEND _onnx_decls "namespace nodes::${_block} { Result<void> writeStep(onnx::Step&); }\n")
        string(APPEND _onnx_calls "    writers.add(\"${_block}\", &nodes::${_block}::writeStep);\n")
    endif()
    if(EXISTS "${_dir}/source.cpp")
        string(APPEND _build_decls "namespace nodes::${_block} { Result<std::shared_ptr<const Dataset>> open(const SourceSetup&); }\n")
        string(APPEND _build_calls "    builders.addSource(\"${_block}\", &nodes::${_block}::open);\n")
    endif()
endforeach()

file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/spec_list.cpp" @ONLY CONTENT
"// Generated from the folders in nodes/. Do not edit.
#include \"core/block/registry.h\"
#include <utility>
namespace unroll {
@_spec_decls@
static void addSpec(BlockRegistry& registry, BlockSpec spec, const char* help, const char* icon, const char* reference)
{
    spec.helpText = help;
    spec.iconText = icon;
    spec.referenceText = reference;
    registry.add(std::move(spec));
}

BlockRegistry allSpecs()
{
    BlockRegistry registry;
@_spec_calls@    return registry;
}
} // namespace unroll
")
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/builder_list.cpp" @ONLY CONTENT
"// Generated from the folders in nodes/. Do not edit.
#include \"core/model/builders.h\"
namespace unroll {
@_build_decls@
Builders allBuilders()
{
    Builders builders;
@_build_calls@    return builders;
}
} // namespace unroll
")
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/onnx_list.cpp" @ONLY CONTENT
"// Generated from the folders in nodes/. Do not edit.
#include \"core/onnx/step.h\"
namespace unroll {
@_onnx_decls@
static onnx::StepWriters makeStepWriters()
{
    onnx::StepWriters writers;
@_onnx_calls@    return writers;
}

const onnx::StepWriters& onnx::allStepWriters()
{
    static const auto* all = new StepWriters(makeStepWriters());
    return *all;
}
} // namespace unroll
")
message(STATUS "Blocks: ${UNROLL_BLOCKS}")
