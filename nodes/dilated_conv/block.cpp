// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/dilated_conv/dilations.h"
#include "nodes/shared/history.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <vector>

namespace unroll::nodes::dilated_conv {

namespace {

class DilatedConv final : public Block {
public:
    explicit DilatedConv(const BlockSetup& setup)
        : Block(setup),
          m_width(setup.integer("width")),
          m_kernel(setup.integer("kernel_size")),
          m_activation(setup.text("activation")),
          m_residual(setup.boolean("residual"))
    {
        for (std::int64_t i = 0; i < setup.integer("num_layers"); ++i) {
            const std::string name = "layers." + std::to_string(i);
            const std::int64_t in = i == 0 ? setup.dimension("input_size") : m_width;
            m_layers.push_back({addWeight(setup, name + ".weight"), addWeight(setup, name + ".bias"), in,
                                dilationOf(i, setup.integer("growth"))});
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[2]);
        const at::Tensor state = inputs[1].empty() ? initialState(x.size(1)).front() : inputs[1].front();
        const bool edited = editsAny(context, {"h"}, x, mask);
        at::Tensor h = x;
        std::vector<at::Tensor> shown, last;
        std::int64_t place = 0;
        for (const Layer& layer : m_layers) {
            const at::Tensor kept = state.narrow(1, place, keptOf(layer)).unflatten(1, {-1, layer.in});
            const History history(h, kept, mask);
            at::Tensor out = activated(readBy(layer, history, context));
            if (m_residual && layer.in == m_width)
                out = out + h;
            h = edited ? editedLayer(context, out, static_cast<std::int64_t>(shown.size())) : out;
            shown.push_back(h);
            last.push_back(history.last().flatten(1));
            place += keptOf(layer);
        }
        if (context.wants("h"))
            context.show("h", at::cat(shown, -1).detach());
        return {{mask.defined() ? at::where(mask.unsqueeze(-1), h, 0) : h}, {at::cat(last, 1)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        std::int64_t kept = 0;
        for (const Layer& layer : m_layers)
            kept += keptOf(layer);
        return {at::zeros({sequences, kept}, m_layers.front().weight.options().requires_grad(false))};
    }

private:
    struct Layer {
        at::Tensor weight; // [rows, kernel_size in]: what multiplies h_t, then the step read before it, ...
        at::Tensor bias;   // [rows]
        std::int64_t in, dilation;
    };

    /// Features of the state that are the layer's: its last inputs, the oldest first.
    std::int64_t keptOf(const Layer& layer) const { return (m_kernel - 1) * layer.dilation * layer.in; }

    at::Tensor readBy(const Layer& layer, const History& history, const PassContext& context) const
    {
        std::vector<at::Tensor> read;
        for (std::int64_t tap = 0; tap < m_kernel; ++tap)
            read.push_back(history.before(tap * layer.dilation));
        return product(context, at::cat(read, -1), layer.weight, layer.bias);
    }

    at::Tensor activated(const at::Tensor& sums) const
    {
        if (m_activation == "relu")
            return at::relu(sums);
        if (m_activation == "tanh")
            return at::tanh(sums);
        const auto parts = sums.split(m_width, 2);
        return at::tanh(parts[0]) * at::sigmoid(parts[1]);
    }

    at::Tensor editedLayer(const PassContext& context, const at::Tensor& h, std::int64_t layer) const
    {
        const EditPlace place{context.step, layer * m_width, std::ssize(m_layers) * m_width};
        return context.editor->edited(context.node, "h", h, place);
    }

    std::int64_t m_width, m_kernel;
    std::string m_activation;
    bool m_residual;
    std::vector<Layer> m_layers;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<DilatedConv>(setup);
}

} // namespace unroll::nodes::dilated_conv
