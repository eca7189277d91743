// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of raw CUDA launchers share, as far as a machine without a GPU can show. Included by *_cuda_test.cpp
// only.
#pragma once

#include "core/kernels/cuda/launch_scan.h"
#include "core/kernels/scan/scan_domain.h"

#include <cuda_bf16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace unroll::kernels::test {

template <typename Scan>
Scan sized(std::int64_t steps, std::int64_t batch, std::int64_t width)
{
    Scan scan;
    scan.steps = steps;
    scan.batch = batch;
    scan.width = width;
    return scan;
}

/// (T,batch,width) or, with T = 1, (batch,width) numbers as rows.
template <typename T>
Rows<T> rowsIn(std::vector<std::remove_const_t<T>>& values, std::int64_t batch, std::int64_t width)
{
    return {values.data(), batch * width, width};
}

/// Bad sizes and absent arrays are refused before anything is started.
template <class Scan>
void expectRefusals()
{
    EXPECT_EQ(launchScan(sized<Scan>(-1, 2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(launchScan(sized<Scan>(4, -2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(launchScan(sized<Scan>(4, 2, -3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(launchScan(sized<Scan>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(launchScan(sized<Scan>(4, 0, 3), nullptr), cudaSuccess) << "nothing to do";
    EXPECT_EQ(launchScan(sized<Scan>(0, 2, 0), nullptr), cudaSuccess) << "nothing to do";
}

template <template <typename, typename> class Forward, template <typename, typename> class Backward, typename Io,
          typename State>
void expectRefusalsBothWays()
{
    expectRefusals<Forward<Io, State>>();
    expectRefusals<Backward<Io, State>>();
}

/// More columns than a grid can have; the arrays are never read.
template <class Scan>
Scan withTooManyColumns()
{
    return sized<Scan>(1, std::int64_t(1) << 32, std::int64_t(1) << 10);
}

/// How far bf16 results are from their definition, relative to its size.
class RelativeError {
public:
    void add(double got, double want)
    {
        m_error += (got - want) * (got - want);
        m_size += want * want;
    }
    double value() const { return std::sqrt(m_error / m_size); }

private:
    double m_error = 0;
    double m_size = 0;
};

inline double sigmoid(double a)
{
    return 1 / (1 + std::exp(-a));
}

} // namespace unroll::kernels::test
