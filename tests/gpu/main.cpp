// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA half is loaded before anything asks torch about CUDA.
#include "core/train/device.h"

#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    if (const auto loaded = unroll::loadCudaPlugin(); !loaded) {
        std::fprintf(stderr, "%s\n", loaded.error().text().c_str());
        return 1;
    }
    return RUN_ALL_TESTS();
}
