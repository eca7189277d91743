// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/attention/form.h"
#include "nodes/shared/causal_attention.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace unroll::nodes::attention {

namespace {

CausalAttention::Form formOf(const BlockSetup& setup)
{
    const HeadSizes sizes = sizesOf(setup, setup.dimension("input_size"));
    return {.heads = setup.integer("num_heads"),
            .width = sizes.keys,
            .values = sizes.values,
            .window = setup.integer("window"),
            .ropeBase = turns(setup) ? setup.real("rope_base") : 0,
            .xposScale = setup.text("positions") == "xpos" ? setup.real("xpos_scale") : 0,
            .dropout = setup.real("dropout")};
}

class Attention final : public Block {
public:
    explicit Attention(const BlockSetup& setup)
        : Block(setup), m_attention(formOf(setup)), m_dropout(setup.real("dropout")), m_dtype(setup.dtype)
    {
        if (setup.text("positions") == "learned")
            m_position = addWeight(setup, "position.weight");
        const bool projections = setup.boolean("projections");
        if (projections) {
            m_in = addWeight(setup, "in_proj_weight");
            m_out = addWeight(setup, "out_proj.weight");
        }
        if (setup.text("positions") == "relative") {
            const at::Tensor weight = addWeight(setup, "relative.weight"), content = addWeight(setup, "content_bias");
            m_attention.lookRelatively({content, addWeight(setup, "position_bias"), weight});
        }
        if (projections && setup.boolean("bias")) {
            m_inBias = addWeight(setup, "in_proj_bias");
            m_outBias = addWeight(setup, "out_proj.bias");
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        at::Tensor x = only(inputs[0]);
        const at::Tensor mask = only(inputs[2]).defined() ? only(inputs[2]).transpose(0, 1) : at::Tensor(); // [B, T]
        const at::Tensor past = m_attention.slotsOf(only(inputs[1]));
        const at::Tensor numbers = m_attention.numbersOf(past, mask, x.size(0), x);
        if (m_position.defined())
            x = x + at::embedding(m_position, rowsOf(numbers)).transpose(0, 1);
        const at::Tensor qkv = m_in.defined() ? product(context, x, m_in, m_inBias) : x;
        at::Tensor y = m_attention.gathered(context, qkv, past, mask);
        if (m_out.defined())
            y = product(context, y, m_out, m_outBias);
        if (context.training && m_dropout > 0)
            y = y * dropoutMask(context, y.sizes(), y, m_dropout);
        if (mask.defined())
            y = at::where(mask.transpose(0, 1).unsqueeze(-1), y, 0);
        if (!context.keepsState)
            return {{y}, {}};
        return {{y}, {m_attention.remembered(past, qkv, numbers, mask)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        const at::TensorOptions options =
            weights().empty() ? at::TensorOptions(m_dtype) : weights().front().tensor.options();
        return {at::zeros({sequences, m_attention.memoryWidth()}, options.requires_grad(false))};
    }

private:
    /// Of the table of positions. Masked steps before the first real one have number 0 and take any row.
    at::Tensor rowsOf(const at::Tensor& numbers) const
    {
        const std::int64_t most = numbers.numel() > 0 ? numbers.max().item<std::int64_t>() : 0;
        TORCH_CHECK(most <= m_position.size(0), "step ", most, " has no position: max_positions is ",
                    m_position.size(0));
        return (numbers - 1).clamp_min(0);
    }

    CausalAttention m_attention;
    double m_dropout;
    at::ScalarType m_dtype;
    at::Tensor m_position; // [max_positions, width], or undefined
    // [2 keys + values, width] and [2 keys + values]: query, key, value; [width, values] and [width]. Without
    // projections or biases undefined.
    at::Tensor m_in, m_inBias, m_out, m_outBias;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Attention>(setup);
}

} // namespace unroll::nodes::attention
