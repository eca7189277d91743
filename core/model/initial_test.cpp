// SPDX-License-Identifier: GPL-3.0-or-later
// Draws whose logarithms are taken, at the ends of what may be asked for.
#include "core/model/initial.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/isfinite.h>

#include <gtest/gtest.h>

#include <cmath>

namespace unroll {

namespace {

at::Tensor drawn(const InitialValues& values, at::ScalarType type)
{
    at::Generator random = at::make_generator<at::CPUGeneratorImpl>(std::uint64_t{5});
    return drawInitial(plainWeight("w", {{1000, "n"}}, values), random, type);
}

} // namespace

/// Where low and high are one number every draw is it: 0 and 1, and what single precision rounds to 1.
TEST(InitialDraws, OfLogarithmsAreFiniteAtTheEndsToo)
{
    for (const at::ScalarType type : {at::kFloat, at::kDouble})
        for (const double end : {0.0, 1e-30, 1 - 1e-9, 1.0}) {
            SCOPED_TRACE(::testing::Message() << end << " as " << type);
            EXPECT_TRUE(at::isfinite(drawn(logOfLogValues(end, end), type)).all().item<bool>());
            EXPECT_TRUE(at::isfinite(drawn(logUniformValues(end, end, 1), type)).all().item<bool>());
        }
}

/// As Keras has them: none beyond two deviations, and 0.8796 of the spread.
TEST(InitialDraws, OfACutNormalStayWithin)
{
    InitialValues values = normalValues(0.5);
    values.low = -2;
    values.high = 2;
    EXPECT_EQ(values.text(true), "normal, std 0.5, cut at ±2 std");
    EXPECT_NEAR(values.deviation(), 0.5 * 0.87962566103423978, 1e-12);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const at::Tensor w = drawn(values, type).to(at::kDouble);
        EXPECT_LE(w.abs().max().item<double>(), 1);
        EXPECT_GT(w.abs().max().item<double>(), 0.95);
        EXPECT_NEAR(w.std().item<double>(), values.deviation(), 0.05);
        EXPECT_NEAR(w.mean().item<double>(), 0, 0.05);
    }
}

TEST(InitialDraws, OfAnOrthogonalOneWithAFormulaAreTheIdentity)
{
    InitialValues values = scaled(orthogonalValues(), 3);
    values.formula = "identity";
    at::Generator random = at::make_generator<at::CPUGeneratorImpl>(std::uint64_t{5});
    const at::Tensor w = drawInitial(plainWeight("w", {{2, "out"}, {3, "in"}}, values), random, at::kFloat);
    EXPECT_TRUE(w.equal(at::eye(2, 3).mul(3)));
    EXPECT_EQ(values.text(true), "identity");
}

TEST(InitialDraws, KeptFromTheEndsAreStillWhatWasAskedFor)
{
    const at::Tensor angle = drawn(logUniformValues(0, 0.3, 1), at::kDouble).exp();
    EXPECT_LE(angle.max().item<double>(), 0.3);
    EXPECT_NEAR(angle.mean().item<double>(), 0.15, 0.01);
    EXPECT_LT(drawn(logUniformValues(0, 0, 1), at::kFloat).exp().max().item<float>(), 1e-7f) << "as good as none";
    const at::Tensor modulus = drawn(logOfLogValues(0.81, 0.9801), at::kDouble).exp().neg().exp();
    EXPECT_GE(modulus.min().item<double>(), 0.9);
    EXPECT_LE(modulus.max().item<double>(), 0.99);
}

} // namespace unroll
