// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_choice.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace unroll {

TEST(PythonChoice, IsTheOneNamedTheOneNearOrThatOfThePath)
{
    const char* before = std::getenv("UNROLL_PYTHON");
    const std::string kept = before == nullptr ? "" : before;
    setenv("UNROLL_PYTHON", "/named/python", 1);
    EXPECT_EQ(chosenPython("/proc/self/exe"), "/named/python");
    setenv("UNROLL_PYTHON", "", 1);
    EXPECT_EQ(chosenPython("/proc/self/exe"), "/proc/self/exe") << "an empty name is none";
    unsetenv("UNROLL_PYTHON");
    EXPECT_EQ(chosenPython("/nowhere/python"), "python3");
    EXPECT_EQ(chosenPython({}), "python3");
    if (before != nullptr)
        setenv("UNROLL_PYTHON", kept.c_str(), 1);
}

} // namespace unroll
