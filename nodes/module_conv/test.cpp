// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include <optional>

namespace unroll::contract {

namespace {

BlockCase moduleCase(std::int64_t width, std::int64_t modules, std::int64_t kernel, std::int64_t in)
{
    const BlockSpec* spec = registry().find("module_conv");
    BlockCase made{
        spec, spec->withDefaults({{"width", width}, {"num_modules", modules}, {"module_kernel", kernel}}), {}};
    made.inputs["x"] = {.type = PortType::Sequence, .width = in};
    return made;
}

} // namespace

/// Time and modules are the sides of an image, the features of a module its channels.
TEST(ModuleConv, IsTorchsConvolutionInTwoDimensions)
{
    for (const BlockCase& blockCase : casesOf("module_conv")) {
        SCOPED_TRACE(blockCase.text());
        const auto whole = [&](const char* name) { return std::get<std::int64_t>(blockCase.params.at(name)); };
        const auto block = build(blockCase);
        const auto inputs = inputsOf(blockCase, *block, {.steps = 9, .mask = false});
        const at::Tensor x = inputs[0].front(), state = inputs[1].front();
        const at::Tensor all = at::cat({state.unflatten(1, {-1, x.size(2)}).transpose(0, 1), x}); // [reach + T, B, in]
        const at::Tensor image = all.unflatten(2, {whole("num_modules"), -1}).permute({1, 3, 0, 2});
        const at::Tensor weight = block->weights()[0].tensor;
        const at::Tensor kernel = weight.view({weight.size(0), whole("kernel_size"), whole("module_kernel"), -1})
                                      .permute({0, 3, 1, 2})
                                      .flip(2);
        std::optional<at::Tensor> bias;
        if (block->weights().size() > 1)
            bias = block->weights()[1].tensor;
        const at::Tensor made = at::conv2d(image, kernel, bias, at::IntArrayRef{1, 1},
                                           at::IntArrayRef{0, whole("module_kernel") / 2}); // [B, filters, T, modules]
        const at::Tensor want = made.unflatten(1, {whole("num_convs"), -1})
                                    .permute({3, 0, 1, 4, 2})
                                    .flatten(2); // T, B, conv, module, feature
        EXPECT_LT(difference(block->forward(inputs, {})[0][0], want), 1e-12);
    }
}

TEST(ModuleConv, ModulesDivideBothWidths)
{
    const auto found = infer(moduleCase(24, 8, 3, 20));
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(found.diagnostics[0].sentence, "num_modules must divide the width of x, 20; it is 8");
    EXPECT_EQ(found.offer->second, ParamValue(std::int64_t{4}));
}

TEST(ModuleConv, ReadsAsManyModulesBeforeAsBehind)
{
    const auto found = infer(moduleCase(24, 8, 4, 16));
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(found.diagnostics[0].where, "module_kernel");
    EXPECT_EQ(found.offer->second, ParamValue(std::int64_t{5}));
}

} // namespace unroll::contract
