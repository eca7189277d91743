// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory a step of training takes, and whether there is so much. A forward pass ends with all outputs there,
// and all that backward passes read. Then the outputs that no backward pass reads are given back, and nodes run
// backward one after the other.
#include "core/block/state_numbers.h"
#include "core/check/level.h"
#include "core/check/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kFloatBytes = 4;
constexpr double kGeneratorBytes = 5056; ///< state of torch's generator on the CPU

/// Of a level and all inside, in bytes.
struct Memory {
    double released = 0; ///< outputs given back when the forward pass is over
    double gone = 0;     ///< outputs inside of loops that are given back when the step is over
    double joined = 0;   ///< what leaves a loop: the steps' pieces side by side, once more
    double passing = 0;  ///< what one node's passes need beside what is kept, of the node that needs most
    double held = 0;     ///< the batch and carried states

    void add(const Memory& other, double copies)
    {
        released += copies * other.released;
        gone += copies * other.gone;
        joined += copies * other.joined;
        passing = std::max(passing, other.passing);
        held += copies * other.held;
    }
};

/// Ports at which what comes in, or goes out, is read by a backward pass.
using Needed = std::set<std::string>;

double sequences(const Level& level)
{
    return static_cast<double>(std::max<std::int64_t>(level.options.batch, 1));
}

/// Steps times sequences.
double tokens(const Level& level)
{
    return static_cast<double>(std::max<std::int64_t>(level.result.steps, 1)) * sequences(level);
}

/// Beside the passes of a node stand the gradients of its weights, and once more as much: the product before it is
/// added, or the weights as a library lays them out again.
double passingBytes(const Level& level, const Cost& cost)
{
    return cost.workspaceBytes * tokens(level) + 2 * kFloatBytes * static_cast<double>(cost.parameters);
}

/// One step of one sequence at an output of the data node, as torch holds it: classes are int64.
double batchBytes(const Shape& shape)
{
    switch (shape.type) {
    case PortType::Tokens:
    case PortType::Targets: return 8;
    case PortType::Mask: return 1;
    default: return kFloatBytes * static_cast<double>(shape.size());
    }
}

/// The batch, and the states that are carried: before the update in hand, behind it, and before those that training can
/// go back to.
double heldBytes(const Level& level, const Item& item)
{
    double bytes = 0;
    for (const auto& [port, shape] : item.checked.outputs)
        if (item.isData())
            bytes += batchBytes(shape) * tokens(level);
        else if (shape.type == PortType::State && level.result.carried)
            bytes += kFloatBytes * static_cast<double>(stateNumbers(shape)) * sequences(level) *
                     static_cast<double>(kRememberedUpdates + 1);
    return bytes;
}

/// Of what the item gives to others, as long as its outputs are there.
double outputBytes(const Level& level, const Item& item)
{
    double bytes = 0;
    for (const auto& [port, shape] : item.checked.outputs)
        if (shape.type == PortType::Sequence || shape.type == PortType::Vector)
            bytes += kFloatBytes * static_cast<double>(shape.size()) *
                     (shape.type == PortType::Vector || item.checked.onVectors ? sequences(level) : tokens(level));
    return bytes;
}

/// Goes through a level from its end, so that the readers of an output are known before it.
class Backward {
public:
    /// `needed`: outputs of the group that the level is the inside of, which may stand in a loop itself.
    Backward(const Level& level, const Needed& needed, bool looped)
        : m_level(level),
          m_outside(needed),
          m_looped(looped),
          m_needed(level.items.size()),
          m_released(level.items.size())
    {
        for (auto index = level.order.rbegin(); index != level.order.rend(); ++index)
            visit(*index);
    }

    const Memory& memory() const { return m_memory; }
    /// Of these nodes, Memory::released.
    double released(const std::set<NodeId>& nodes) const
    {
        double bytes = 0;
        for (const NodeId id : nodes)
            bytes += m_released[*m_level.indexOf(id)];
        return bytes;
    }
    bool needs(const PortRef& input) const
    {
        const auto index = m_level.indexOf(input.node);
        return index && m_needed[*index].contains(input.port);
    }

private:
    /// By a backward pass; `behind`: by one behind the loop that the item stands in.
    bool isRead(const Item& item, const std::string& port, bool behind) const
    {
        const bool inside = std::any_of(item.out.begin(), item.out.end(), [&](std::size_t link) {
            const Link& out = m_level.links[link];
            return out.wire->from.port == port && m_needed[out.to].contains(out.wire->to.port) &&
                   !(behind && m_level.items[out.to].checked.looped);
        });
        const auto promoted = [&](const PromotedPort& output) {
            return output.inner == PortRef{item.node->id, port} && m_outside.contains(output.name);
        };
        return inside || (m_level.outputs != nullptr && !(behind && m_looped) &&
                          std::any_of(m_level.outputs->begin(), m_level.outputs->end(), promoted));
    }

    void visit(std::size_t index)
    {
        const Item& item = m_level.items[index];
        if (!item.isKnown()) // it has no ports
            return;
        Needed read;
        for (const PortSpec& port : item.outputs())
            if (isRead(item, port.name, false))
                read.insert(port.name);
        if (!item.inside.empty())
            m_needed[index] =
                item.checked.reversible ? enterReversible(item) : enter(item, std::move(read), item.checked.looped);
        else if (item.spec != nullptr && !item.node->group)
            m_needed[index] = take(item, !read.empty());
    }

    /// A node without work backward reads nothing there. Where it has one input it hands on what came in, or a piece of
    /// it.
    Needed take(const Item& item, bool read)
    {
        const Cost& cost = item.checked.cost;
        const double outputs = outputBytes(m_level, item);
        double passing = passingBytes(m_level, cost);
        m_memory.held += heldBytes(m_level, item);
        if (!read && !item.isData() && !item.givesLoss()) {
            const double bytes = std::min(outputs, cost.activationBytes * tokens(m_level));
            (item.checked.looped ? m_memory.gone : m_memory.released) += bytes;
            m_released[*m_level.indexOf(item.node->id)] = item.checked.looped ? 0 : bytes;
            passing += item.checked.looped ? 0 : bytes; // the gradient that arrives needs room again
        }
        m_memory.passing = std::max(m_memory.passing, passing);
        for (const PortSpec& port : item.outputs())
            if (item.checked.looped && port.type != PortType::State && isRead(item, port.name, true))
                m_memory.joined += outputs;
        Needed needed;
        if (cost.backwardFlops > 0 || (read && item.inputs().size() == 1))
            for (const PortSpec& port : item.inputs())
                needed.insert(port.name);
        return needed;
    }

    /// What a copy keeps it keeps until the next one is in hand. The gradients of all weights come together.
    Needed enterReversible(const Item& item)
    {
        const Cost& cost = item.checked.cost;
        const Group& group = *item.node->group;
        Needed all, entering;
        for (const PromotedPort& output : group.outputs)
            all.insert(output.name);
        double parameters = 0;          // of one copy
        double counted = 0, needed = 0; // of F or G, which needs more: in the workspace, and without what is released
        for (const Level* copy : byCopy(item)) {
            const Backward inside(*copy, all, false);
            m_memory.held += inside.memory().held;
            parameters = std::max(parameters, static_cast<double>(copy->result.cost.parameters));
            for (const std::set<NodeId>* part : {&item.checked.reversible->f, &item.checked.reversible->g}) {
                const double bytes = bytesOf(*copy, *part) * tokens(m_level);
                counted = std::max(counted, bytes);
                needed = std::max(needed, bytes - inside.released(*part));
            }
        }
        m_memory.passing =
            std::max(m_memory.passing, cost.workspaceBytes * tokens(m_level) - (counted - needed) +
                                           kFloatBytes * (static_cast<double>(cost.parameters) + parameters));
        for (std::size_t i = group.outputs.size(); i < group.inputs.size(); ++i)
            entering.insert(group.inputs[i].name);
        return entering;
    }

    /// The last copy is read by what is outside, each before it by the next one, until nothing changes any more.
    Needed enter(const Item& item, Needed read, bool looped)
    {
        const Group& group = *item.node->group;
        const std::vector<const Level*> inside = byCopy(item);
        for (std::size_t copies = inside.size(); copies > 0; --copies) {
            const Backward copy(*inside[copies - 1], read, looped);
            Needed entering, next;
            for (std::size_t i = 0; i < group.inputs.size(); ++i)
                if (copy.needs(group.inputs[i].inner)) {
                    entering.insert(group.inputs[i].name);
                    if (i < group.outputs.size())
                        next.insert(group.outputs[i].name);
                }
            const bool settled = (next == read && item.inside.size() == 1) || copies == 1;
            m_memory.add(copy.memory(), settled ? static_cast<double>(copies) : 1);
            if (settled)
                return entering;
            read = std::move(next);
        }
        return {};
    }

    static std::vector<const Level*> byCopy(const Item& item)
    {
        std::map<std::int64_t, const Level*> levels;
        for (const AlikeCopies& alike : item.inside)
            for (const std::int64_t copy : alike.copies)
                levels[copy] = alike.level.get();
        std::vector<const Level*> list;
        for (const auto& [copy, level] : levels)
            list.push_back(level);
        return list;
    }

    const Level& m_level;
    const Needed& m_outside;
    bool m_looped;
    std::vector<Needed> m_needed;   ///< inputs, by item
    std::vector<double> m_released; ///< by item
    Memory m_memory;
};

std::int64_t wholeBytes(double bytes)
{
    constexpr double kMost = 9.2e18; // fits 64 bits
    return static_cast<std::int64_t>(std::min(bytes, kMost));
}

void reportMemory(Level& level, double weights, double activations, double allowed, const std::string& against)
{
    const double needed = weights + activations;
    if (needed <= allowed)
        return;
    level.error(nullptr, "", "memory",
                fmt::format("training would need {:.1f} GiB ({:.1f} for {} parameters with their moments, "
                            "{:.1f} for activations and gradients of {} "
                            "steps x {} sequences); {}",
                            needed / kGiB, weights / kGiB, level.result.cost.parameters, activations / kGiB,
                            std::max<std::int64_t>(level.result.steps, 1), level.options.batch, against));
}

} // namespace

void checkMemory(Level& level)
{
    constexpr double kAbsurd = 1024.0 * 1024 * kGiB; // 1 PiB: no machine has it, so it is refused without asking
    const double parameters = kFloatBytes * static_cast<double>(level.result.cost.parameters);
    const Needed nothing;
    const Memory memory = Backward(level, nothing, false).memory();
    const double kept = level.result.cost.activationBytes * tokens(level) - memory.gone + memory.joined;
    const double passes = std::max(kept, kept - memory.released + memory.passing);
    // Gradients come while activations go, and all of them are there at the end.
    const double weights = 3 * parameters + kRememberedUpdates * kGeneratorBytes;
    const double activations = std::max(passes, parameters) + memory.held;
    level.result.trainingBytes = wholeBytes(weights + activations);
    const auto available = static_cast<double>(level.options.memoryAvailable);
    const std::string& owner = level.options.memoryOwner;
    if (available > 0)
        reportMemory(level, weights, activations, available,
                     owner.empty() ? fmt::format("{:.1f} GiB are available", available / kGiB)
                                   : fmt::format("{} has {:.1f} GiB", owner, available / kGiB));
    else
        reportMemory(level, weights, activations, kAbsurd, "no machine has that much");
}

} // namespace unroll
