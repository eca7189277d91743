// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

namespace unroll::nodes::learned_vector {

namespace {

class LearnedVector final : public Block {
public:
    explicit LearnedVector(const BlockSetup& setup) : Block(setup) { m_weight = addWeight(setup, "weight"); }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext&) override
    {
        const std::int64_t sequences = only(inputs[0]).size(1);
        return {{m_weight.unsqueeze(0).repeat({sequences, 1})}};
    }

private:
    at::Tensor m_weight; // [width]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<LearnedVector>(setup);
}

} // namespace unroll::nodes::learned_vector
