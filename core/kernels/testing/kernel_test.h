// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels' tests share: expectations, threads, error messages. Included by *_test.cpp only.
#pragma once

#include "core/kernels/cpu/cpu_targets.h"
#include "core/kernels/testing/scoped_threads.h"
#include "core/kernels/testing/trial_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace unroll::kernels::test {

/// fp32 <= 1e-5, fp64 <= 1e-12.
inline double allowedError(at::ScalarType type)
{
    return type == at::kDouble ? 1e-12 : 1e-5;
}

inline void expectClose(const std::vector<Named>& got, const std::vector<Named>& want, at::ScalarType type,
                        const std::string& what)
{
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].tensor.sizes(), want[i].tensor.sizes()) << what << ": " << got[i].name;
        EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor), allowedError(type))
            << what << ": " << got[i].name << ", " << type << ", of size " << want[i].tensor.norm().item<double>();
    }
}

inline void expectSameBits(const std::vector<Named>& got, const std::vector<Named>& want, const std::string& what)
{
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(got[i].tensor.equal(want[i].tensor)) << what << ": " << got[i].name;
}

/// The message of the c10::Error that `call` throws, "" if it throws none.
template <class Call>
std::string errorOf(const Call& call)
{
    try {
        call();
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    return "";
}

} // namespace unroll::kernels::test
