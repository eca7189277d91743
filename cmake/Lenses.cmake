# SPDX-License-Identifier: GPL-3.0-or-later
# The lists of lenses and of their views, made from the folders as the list of blocks is: nothing registers itself, no linker drops anything.
#
#   core/lens/<lens>/lens.cpp             std::unique_ptr<Lens> make()              namespace unroll::lenses::<lens>
#   core/lens/<lens>/pack.cpp             LensPacking packing()                     likewise; a lens without one goes to other processes as its figure
#   app/studio/lenses/<lens>/view.cpp     LensView* makeView(const LensDesk&)       likewise; a lens without one has the general view

# Sets `out` to the names of the folders in `under` that hold `file`, sorted.
function(unroll_lens_folders out under file)
    file(GLOB found CONFIGURE_DEPENDS "${under}/*/${file}")
    set(names "")
    foreach(path ${found})
        get_filename_component(folder "${path}" DIRECTORY)
        get_filename_component(name "${folder}" NAME)
        list(APPEND names "${name}")
    endforeach()
    list(SORT names)
    set(${out} "${names}" PARENT_SCOPE)
endfunction()

unroll_lens_folders(UNROLL_LENSES "${CMAKE_SOURCE_DIR}/core/lens" lens.cpp)
set(_lens_decls "")
set(_lens_calls "")
foreach(_lens ${UNROLL_LENSES})
    string(APPEND _lens_decls "namespace lenses::${_lens} { std::unique_ptr<Lens> make(); }\n")
    string(APPEND _lens_calls "    made.push_back(lenses::${_lens}::make());\n")
endforeach()
unroll_lens_folders(_lens_packed "${CMAKE_SOURCE_DIR}/core/lens" pack.cpp)
set(_packing_decls "")
set(_packing_calls "")
foreach(_lens ${_lens_packed})
    string(APPEND _packing_decls "namespace lenses::${_lens} { LensPacking packing(); }\n")
    string(APPEND _packing_calls "lenses::${_lens}::packing(), ")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/lens_list.cpp" @ONLY CONTENT
"// Generated from the folders in core/lens/. Do not edit.
#include \"core/lens/lens.h\"
#include \"core/lens/packing.h\"
namespace unroll {
@_lens_decls@@_packing_decls@
static Lenses makeLenses()
{
    Lenses made;
@_lens_calls@    return made;
}

const Lenses& allLenses()
{
    static const Lenses all = makeLenses();
    return all;
}

const std::vector<LensPacking>& allLensPackings()
{
    static const std::vector<LensPacking> all{@_packing_calls@};
    return all;
}
} // namespace unroll
")
message(STATUS "Lenses: ${UNROLL_LENSES}")
