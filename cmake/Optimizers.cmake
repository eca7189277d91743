# SPDX-License-Identifier: GPL-3.0-or-later
# The lists of optimisers, made from the folders of core/train/optimizers/ as the list of blocks is: nothing registers itself.
#
#   spec.cpp       OptimizerSpec spec()                                                            namespace unroll::optimizers::<optimizer>
#   update.cpp     void update(const TrainSettings&, UpdateGroup&, const at::Tensor& notFinite)    likewise
#   optimizer.py   update_rule(groups), embedded as text

set(UNROLL_OPTIMIZERS "")
file(GLOB _specs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/core/train/optimizers/*/spec.cpp")
foreach(_file ${_specs})
    get_filename_component(_dir "${_file}" DIRECTORY)
    get_filename_component(_name "${_dir}" NAME)
    list(APPEND UNROLL_OPTIMIZERS "${_name}")
endforeach()
list(SORT UNROLL_OPTIMIZERS)

set(_spec_decls "")
set(_spec_calls "")
set(_rule_decls "")
set(_rule_calls "")
foreach(_optimizer ${UNROLL_OPTIMIZERS})
    set(_python_file "${CMAKE_SOURCE_DIR}/core/train/optimizers/${_optimizer}/optimizer.py")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_python_file}")
    file(READ "${_python_file}" _python)
    string(APPEND _spec_decls "namespace optimizers::${_optimizer} { OptimizerSpec spec(); }\n")
    string(APPEND _spec_calls "    add(made, optimizers::${_optimizer}::spec(), R\"~~~(${_python})~~~\");\n")
    string(APPEND _rule_decls "namespace optimizers::${_optimizer} { void update(const TrainSettings&, UpdateGroup&, const at::Tensor&); }\n")
    string(APPEND _rule_calls "    if (optimizer == \"${_optimizer}\")\n        return &optimizers::${_optimizer}::update;\n")
endforeach()

file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/optimizer_specs.cpp" @ONLY CONTENT
"// Generated from the folders in core/train/optimizers/. Do not edit.
#include \"core/experiment/optimizer_spec.h\"
#include <algorithm>
#include <utility>
namespace unroll {
@_spec_decls@
static void add(std::vector<OptimizerSpec>& made, OptimizerSpec spec, const char* python)
{
    spec.python = python;
    made.push_back(std::move(spec));
}

static std::vector<OptimizerSpec> makeOptimizerSpecs()
{
    std::vector<OptimizerSpec> made;
@_spec_calls@    std::stable_partition(made.begin(), made.end(), [](const OptimizerSpec& spec) { return spec.id == kDefaultOptimizer; });
    return made;
}

const std::vector<OptimizerSpec>& optimizerSpecs()
{
    static const auto* all = new std::vector<OptimizerSpec>(makeOptimizerSpecs());
    return *all;
}
} // namespace unroll
")
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/optimizer_rules.cpp" @ONLY CONTENT
"// Generated from the folders in core/train/optimizers/. Do not edit.
#include \"core/train/update_rule.h\"
namespace unroll {
@_rule_decls@
UpdateRule updateRule(const std::string& optimizer)
{
@_rule_calls@    return nullptr;
}
} // namespace unroll
")
message(STATUS "Optimisers: ${UNROLL_OPTIMIZERS}")
