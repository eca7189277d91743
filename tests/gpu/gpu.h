// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/device.h"

#include <gtest/gtest.h>

/// Where no GPU can be used these tests say why, and are skipped.
#define UNROLL_NEEDS_GPU()                                                                                             \
    if (const auto chosen = openDevice("cuda", false); !chosen)                                                        \
    GTEST_SKIP() << chosen.error().text()
