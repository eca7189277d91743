// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/spectrum/spectrum.h"
#include "tests/support/lens_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace unroll::spectrum_test {

using Complexes = std::vector<std::complex<double>>;

inline const std::vector<std::int32_t> kRead{4, 0, 7, 2, 9, 1, 3, 10, 5};
inline const std::vector<std::int32_t> kFew{4, 0, 7, 2};

inline std::shared_ptr<const SpectrumData> spectrumOf(Model& model, const std::string& node, Params settings = {},
                                                      const std::vector<std::int32_t>& read = kRead,
                                                      const std::string& signal = {})
{
    const auto frame =
        testing::lensFrame(model, testing::textOf(read), {"spectrum", node, signal, std::move(settings)});
    EXPECT_EQ(frame->trouble, "") << node;
    return dataOf<SpectrumData>(frame);
}

inline std::string troubleOf(Model& model, const std::string& node, Params settings = {})
{
    return testing::lensFrame(model, testing::textOf(kRead), {"spectrum", node, {}, std::move(settings)})->trouble;
}

inline void set(const Model& model, const std::string& name, const at::Tensor& values)
{
    const at::NoGradGuard guard;
    testing::weightOf(model, name).copy_(values);
}

inline void clear(const Model& model, const std::vector<std::string>& names)
{
    const at::NoGradGuard guard;
    for (const std::string& name : names)
        testing::weightOf(model, name).zero_();
}

} // namespace unroll::spectrum_test
