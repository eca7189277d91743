# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed, and the .deb that ./dev package makes of it. LibTorch is not in it: cmake/package/launch.sh finds it or makes it.
#
#   bin/unroll, bin/unroll-cli            links to the launcher
#   lib/unroll/                           the launcher, the programs, their own shared libraries
#   share/unroll/                         experiments and lessons, study/ (Python of searches and races); the programs find them from where they lie themselves (core/experiment/gallery.h)
#   share/applications, icons, mime, metainfo, doc
#
# All of it is relative, so it runs wherever it is unpacked.

include(GNUInstallDirs)
# .invalid: the project has no address of its own. Who hands a package on names theirs.
set(UNROLL_PACKAGE_MAINTAINER "Unroll developers <developers@unroll.invalid>" CACHE STRING "Maintainer of the .deb")

# Not CMAKE_INSTALL_LIBDIR: these are programs, with libraries that nobody else links to.
set(_private lib/unroll)
set(_share "${CMAKE_INSTALL_DATADIR}")
set(_from "${CMAKE_SOURCE_DIR}/cmake/package")

function(_unroll_install_launcher name)
    file(RELATIVE_PATH target "/${CMAKE_INSTALL_BINDIR}" "/${_private}/launch")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/package_links")
    file(CREATE_LINK "${target}" "${CMAKE_BINARY_DIR}/package_links/${name}" SYMBOLIC)
    install(FILES "${CMAKE_BINARY_DIR}/package_links/${name}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(TARGETS ${name} RUNTIME DESTINATION "${_private}")
endfunction()

if(TARGET unroll-cli)
    _unroll_install_launcher(unroll-cli)
    install(PROGRAMS "${_from}/launch.sh" DESTINATION "${_private}" RENAME launch)
    install(FILES "${_from}/torch_wheels.txt" DESTINATION "${_private}")
    install(TARGETS unroll_kernels LIBRARY DESTINATION "${_private}")
    if(TARGET unroll_cuda)
        install(TARGETS unroll_cuda LIBRARY DESTINATION "${_private}")
    endif()
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/app/python/unroll_runs" "${CMAKE_SOURCE_DIR}/app/python/unroll_weights"
            "${CMAKE_SOURCE_DIR}/app/python/unroll_prepare" DESTINATION "${_share}/unroll/python"
            PATTERN "__pycache__" EXCLUDE)
    foreach(_block ${UNROLL_BLOCKS})
        if(EXISTS "${CMAKE_SOURCE_DIR}/nodes/${_block}/foreign.py")
            install(FILES "${CMAKE_SOURCE_DIR}/nodes/${_block}/foreign.py" DESTINATION "${_share}/unroll/python/unroll_weights/blocks" RENAME "${_block}.py")
        endif()
    endforeach()
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/experiments" "${CMAKE_SOURCE_DIR}/resources/lessons" DESTINATION "${_share}/unroll")
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/app/study" DESTINATION "${_share}/unroll" PATTERN "__pycache__" EXCLUDE)
    install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${_share}/doc/unroll" RENAME copyright)
    install(FILES "${CMAKE_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${_share}/doc/unroll")
endif()
if(TARGET unroll)
    _unroll_install_launcher(unroll)
    install(FILES "${_from}/unroll.desktop" DESTINATION "${_share}/applications")
    install(FILES "${_from}/unroll.mime.xml" DESTINATION "${_share}/mime/packages" RENAME unroll.xml)
    install(FILES "${_from}/unroll.metainfo.xml" DESTINATION "${_share}/metainfo" RENAME org.unroll.Unroll.metainfo.xml)
    install(FILES "${CMAKE_SOURCE_DIR}/resources/icons/unroll.svg" DESTINATION "${_share}/icons/hicolor/scalable/apps")
    install(FILES "${CMAKE_SOURCE_DIR}/resources/fonts/OFL.txt" DESTINATION "${_share}/doc/unroll") # Inter is compiled into the studio
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME unroll)
set(CPACK_PACKAGE_VENDOR Unroll)
set(CPACK_PACKAGE_CONTACT "${UNROLL_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "playground for recurrent neural networks")
set(CPACK_PACKAGE_DESCRIPTION
"Blocks on a canvas form a recurrent network, which is trained while curves
and heat maps show what it learns and remembers. Trained weights leave as
safetensors and as a PyTorch program.
.
unroll is the studio, unroll-cli trains the same experiment files without a
window. At the first start LibTorch (0.5 GB) is downloaded from PyPI into the
user's data folder.")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# What the programs link to, besides torch: that is looked up where the build has it and belongs to no package, so it adds no dependency.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${UNROLL_RPATH})
# What the launcher calls, besides what every Debian has.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.11), python3-venv, ca-certificates")
if(TARGET unroll)
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "zenity | kdialog, qt6-wayland, fonts-dejavu-core")
endif()
include(CPack)
