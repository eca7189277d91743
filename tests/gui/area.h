// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/waiting.h"

#include <QTest>
#include <vector>

namespace unroll::test {

/// One test object of unroll_gui_test, by the name it is asked for.
struct Area {
    const char* name;
    int (*run)(int argc, char** argv);
};

/// All of them, in the order of their files.
inline std::vector<Area>& areas()
{
    static std::vector<Area> all;
    return all;
}

/// Lists a test class: `static const AreaOf<CanvasTest> canvasTestArea("canvas");`
template <class Tests>
struct AreaOf {
    explicit AreaOf(const char* name)
    {
        areas().push_back({name, [](int argc, char** argv) {
                               Tests tests;
                               return QTest::qExec(&tests, argc, argv);
                           }});
    }
};

} // namespace unroll::test
