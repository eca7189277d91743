// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_layer.h"
#include "nodes/shared/values.h"

namespace unroll::nodes::dense_mml {

namespace {

class DenseMml final : public Block {
public:
    explicit DenseMml(const BlockSetup& setup) : Block(setup)
    {
        m_layer.form.gradient = ternaryGradient(setup);
        m_layer.gain = addWeight(setup, "gain");
        m_layer.weight = addWeight(setup, "weight");
        if (setup.boolean("use_bias"))
            m_layer.bias = addWeight(setup, "bias");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]);
        if (context.wants("q"))
            context.show("q", readCodes(m_layer, x));
        return onlyOutput(context, applied(context, m_layer, x));
    }

private:
    DenseLayer m_layer;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<DenseMml>(setup);
}

} // namespace unroll::nodes::dense_mml
