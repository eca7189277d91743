// SPDX-License-Identifier: GPL-3.0-or-later
// What a block says of its features is true: the features of a port in another order, with the weights that name it in
// the same order, give the same outputs, and where features are said to be those of another port, in that order.
// Weights of other data are matched by it.
#include "tests/contract/block_case.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include <gtest/gtest.h>

#include <numeric>

namespace unroll::contract {
namespace {

/// Feature j of a port is its former feature order[j]. Ports that are not in it keep their order.
using Orders = std::map<std::string, std::vector<std::int64_t>>;

std::optional<std::int64_t> sizeAt(const BlockCase& blockCase, const std::map<std::string, Shape>& outputs,
                                   const std::string& port)
{
    for (const auto* shapes : {&blockCase.inputs, &outputs})
        if (const auto found = shapes->find(port); found != shapes->end())
            return found->second.size();
    return {};
}

std::vector<std::int64_t> asTheyAre(std::int64_t size)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

bool moves(const std::vector<std::int64_t>& order)
{
    return order != asTheyAre(static_cast<std::int64_t>(order.size()));
}

/// Carries an order over to the ports that have the same features; nothing where that is not possible, as where a slice
/// would take others then.
class Spreading {
public:
    Spreading(const BlockCase& blockCase, const Block& block, Orders& orders)
        : m_case(blockCase), m_block(block), m_orders(orders), m_outputs(infer(blockCase).outputs)
    {}

    bool spread()
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (const SameFeatures& same : m_block.same()) {
                const auto from = sizeAt(m_case, m_outputs, same.from), to = sizeAt(m_case, m_outputs, same.to);
                if (!from || !to)
                    continue;
                const std::int64_t count = same.count < 0 ? *from : same.count;
                if (!carry({same.from, same.fromAt, *from}, {same.to, same.toAt, *to}, count, changed) ||
                    !carry({same.to, same.toAt, *to}, {same.from, same.fromAt, *from}, count, changed))
                    return false;
            }
        }
        return true;
    }

private:
    struct Side {
        std::string port;
        std::int64_t at, size;
    };

    bool carry(const Side& from, const Side& to, std::int64_t count, bool& changed)
    {
        const auto given = m_orders.find(from.port);
        if (given == m_orders.end())
            return true;
        std::vector<std::int64_t> order = m_orders.contains(to.port) ? m_orders.at(to.port) : asTheyAre(to.size);
        const std::vector<std::int64_t> before = order;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t was = given->second[static_cast<std::size_t>(from.at + i)] - from.at;
            if (was < 0 || was >= count)
                return false;
            auto& place = order[static_cast<std::size_t>(to.at + i)];
            if (m_orders.contains(to.port) && place != to.at + i && place != to.at + was)
                return false;
            place = to.at + was;
        }
        if (order != before) {
            m_orders[to.port] = order;
            changed = true;
        }
        return true;
    }

    const BlockCase& m_case;
    const Block& m_block;
    Orders& m_orders;
    std::map<std::string, Shape> m_outputs;
};

at::Tensor inOrder(const at::Tensor& tensor, std::int64_t dimension, const std::vector<std::int64_t>& order)
{
    return tensor.index_select(dimension, at::tensor(order));
}

/// Classes in another order: class order[j] is called j.
at::Tensor renamed(const at::Tensor& classes, const std::vector<std::int64_t>& order)
{
    std::vector<std::int64_t> names(order.size());
    for (std::size_t j = 0; j < order.size(); ++j)
        names[static_cast<std::size_t>(order[j])] = static_cast<std::int64_t>(j);
    const at::Tensor ignored = classes.lt(0);
    return at::where(ignored, classes, at::tensor(names).index({classes.clamp_min(0)}));
}

at::Tensor reordered(const at::Tensor& value, PortType type, const std::vector<std::int64_t>& order)
{
    return type == PortType::Tokens || type == PortType::Targets ? renamed(value, order) : inOrder(value, -1, order);
}

void reorderWeights(Block& block, const Orders& orders)
{
    for (Weight& weight : block.weights())
        for (const WeightSpec& spec : block.weightSpecs()) {
            if (spec.name != weight.name)
                continue;
            for (std::size_t d = 0; d < spec.shape.size(); ++d) {
                const auto order = orders.find(spec.shape[d].port);
                if (order == orders.end())
                    continue;
                std::vector<std::int64_t> all;
                const auto once = static_cast<std::int64_t>(order->second.size());
                for (std::int64_t time = 0; time < spec.shape[d].times; ++time)
                    for (const std::int64_t place : order->second)
                        all.push_back(time * once + place);
                weight.tensor.detach().copy_(
                    inOrder(weight.tensor.detach().clone(), static_cast<std::int64_t>(d), all));
            }
        }
}

bool isNamed(const Block& block, const Orders& orders)
{
    for (const WeightSpec& spec : block.weightSpecs())
        for (const WeightSize& size : spec.shape)
            if (orders.contains(size.port))
                return true;
    return false;
}

class Features : public ::testing::TestWithParam<std::string> {};

/// Whether anything was tried for these orders.
bool expectTheSame(const BlockCase& blockCase, const Orders& orders)
{
    const InputOptions options{.state = false, .mask = false};
    const auto plain = build(blockCase, 3), other = build(blockCase, 3);
    if (!plain->weights().empty() && !isNamed(*plain, orders))
        return false; // nothing is said of it, and nothing is matched
    const std::vector<Value> inputs = inputsOf(blockCase, *plain, options);
    std::vector<Value> turned = inputs;
    for (std::size_t i = 0; i < turned.size(); ++i)
        if (const auto order = orders.find(blockCase.spec->inputs[i].name); order != orders.end() && !turned[i].empty())
            turned[i] = {reordered(turned[i].front(), blockCase.spec->inputs[i].type, order->second)};
    reorderWeights(*other, orders);
    const auto want = plain->forward(inputs, PassContext{}), got = other->forward(turned, PassContext{});
    for (std::size_t i = 0; i < want.size(); ++i) {
        const PortSpec& port = blockCase.spec->outputs[i];
        if (want[i].empty() || !want[i].front().defined() || port.type == PortType::State ||
            port.type == PortType::Table)
            continue;
        const auto order = orders.find(port.name);
        const at::Tensor expected =
            order == orders.end() ? want[i].front() : reordered(want[i].front(), port.type, order->second);
        EXPECT_LT(difference(got[i].front(), expected), 1e-9) << port.name;
    }
    return true;
}

TEST_P(Features, InAnotherOrderGiveTheSame)
{
    at::Generator random = generatorOf(11);
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.fitsPorts() || blockCase.inputs.contains("table"))
            continue;
        const auto block = build(blockCase);
        const auto outputs = infer(blockCase).outputs;
        for (const auto* ports : {&blockCase.spec->inputs, &blockCase.spec->outputs})
            for (const PortSpec& port : *ports) {
                const auto size = sizeAt(blockCase, outputs, port.name);
                if (!size || *size < 2 || port.type == PortType::State || port.type == PortType::Table ||
                    port.type == PortType::Mask || port.type == PortType::Loss)
                    continue;
                const at::Tensor drawn = at::randperm(*size, random, at::kLong);
                Orders orders{
                    {port.name, {drawn.const_data_ptr<std::int64_t>(), drawn.const_data_ptr<std::int64_t>() + *size}}};
                const bool said = !block->weights().empty() || !block->same().empty();
                if (!said || !moves(orders.begin()->second) || !Spreading(blockCase, *block, orders).spread())
                    continue;
                SCOPED_TRACE(blockCase.text() + " by " + port.name);
                expectTheSame(blockCase, orders);
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Features, ::testing::ValuesIn(computingBlocks()), blockName);

/// What reads tokens or a sequence through a matrix says which side of it they are on, so that the usual weights are
/// matched.
TEST(FeaturesOfAll, AreNamedWithTheirSizes)
{
    int named = 0;
    for (const std::string& id : computingBlocks()) {
        const BlockCase blockCase = casesOf(id).front();
        const auto block = build(blockCase);
        for (const WeightSpec& spec : block->weightSpecs())
            for (const WeightSize& size : spec.shape) {
                if (size.port.empty())
                    continue;
                ++named;
                const auto there = sizeAt(blockCase, infer(blockCase).outputs, size.port);
                ASSERT_TRUE(there) << id << "." << spec.name << " names " << size.port;
                EXPECT_EQ(size.size, *there * size.times) << id << "." << spec.name;
            }
    }
    EXPECT_GT(named, 30);
}

} // namespace
} // namespace unroll::contract
