// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/trajectory/trajectory.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_svd.h>

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

constexpr std::int64_t kFewestSteps = 3; // two always lie on a line

/// The steps whose values are all numbers.
std::vector<std::int64_t> wholeSteps(const SignalFrame& frame, std::int64_t& missing)
{
    std::vector<std::int64_t> whole;
    for (std::int64_t step = 0; step < frame.steps; ++step) {
        std::int64_t bad = 0;
        for (std::int64_t i = 0; i < frame.width; ++i)
            bad += !std::isfinite(frame.values[static_cast<std::size_t>(step * frame.width + i)]);
        missing += bad;
        if (bad == 0)
            whole.push_back(step);
    }
    return whole;
}

/// [steps, width], each column less its mean. Columns that do not change are exactly 0: a sum of equal floats is exact
/// in double.
at::Tensor centred(const SignalFrame& frame, const std::vector<std::int64_t>& steps)
{
    at::Tensor values = at::empty({std::ssize(steps), frame.width}, at::kDouble);
    double* out = values.mutable_data_ptr<double>();
    for (const std::int64_t step : steps)
        for (std::int64_t i = 0; i < frame.width; ++i)
            *out++ = static_cast<double>(frame.values[static_cast<std::size_t>(step * frame.width + i)]);
    return values.sub_(values.mean(0, true));
}

/// Whether the direction is to be turned round: its largest number in size, the first of equals, is negative.
bool isNegative(const double* loadings, std::int64_t width)
{
    double largest = 0;
    for (std::int64_t i = 0; i < width; ++i)
        largest = std::max(largest, std::abs(loadings[i]));
    for (std::int64_t i = 0; i < width; ++i)
        if (std::abs(loadings[i]) >= largest * (1 - 1e-9))
            return loadings[i] < 0;
    return false;
}

} // namespace

Result<TrajectoryData> principalComponents(const SignalFrame& frame)
{
    const at::NoGradGuard guard;
    TrajectoryData data;
    data.steps = frame.steps;
    data.width = frame.width;
    const std::vector<std::int64_t> steps = wholeSteps(frame, data.missing);
    data.used = std::ssize(steps);
    if (frame.steps < kFewestSteps)
        return fail(fmt::format("the reading is too short: a plane of states needs at least {} steps, and this reading "
                                "has {}",
                                kFewestSteps, frame.steps));
    if (data.used < kFewestSteps)
        return fail(fmt::format("a plane of states needs at least {} steps whose values are all numbers, and this "
                                "reading has {} of {}",
                                kFewestSteps, data.used, frame.steps));
    const at::Tensor values = centred(frame, steps);
    const auto [u, s, vh] = at::linalg_svd(values, /*full_matrices=*/false);
    const double total = s.square().sum().item<double>();
    if (!(total > 0))
        return fail("its values are the same at every step");
    for (std::size_t k = 0; k < 2; ++k) {
        data.scores[k].assign(static_cast<std::size_t>(frame.steps), std::numeric_limits<double>::quiet_NaN());
        data.loadings[k].assign(static_cast<std::size_t>(frame.width), 0);
        const auto component = static_cast<std::int64_t>(k);
        const bool exists = component < s.size(0); // a signal of one number has one component
        const at::Tensor direction = exists ? vh[component].contiguous() : at::Tensor();
        const double sign = exists && isNegative(direction.const_data_ptr<double>(), frame.width) ? -1 : 1;
        const at::Tensor along = exists ? values.mv(direction).mul_(sign) : at::Tensor();
        for (std::size_t i = 0; i < steps.size(); ++i)
            data.scores[k][static_cast<std::size_t>(steps[i])] = exists ? along.const_data_ptr<double>()[i] : 0;
        for (std::size_t i = 0; exists && i < data.loadings[k].size(); ++i)
            data.loadings[k][i] = sign * direction.const_data_ptr<double>()[i];
        data.explained[k] = exists ? s[component].square().item<double>() / total : 0;
    }
    return data;
}

} // namespace unroll
