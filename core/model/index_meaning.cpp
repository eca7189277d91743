// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/index_meaning.h"

#include <algorithm>
#include <optional>

namespace unroll {

namespace {

using Of = IndexRun::Of;

/// What one feature or class stands for.
struct Label {
    Of of = Of::Nothing;
    std::int64_t index = 0;
};

/// Of the features on one wire. The list may end before the last feature: those behind stand for nothing.
struct Labels {
    std::vector<Label> each;
    bool unclear = false; ///< there are some, but nobody knows where

    bool any() const
    {
        return unclear || std::any_of(each.begin(), each.end(), [](const Label& l) { return l.of != Of::Nothing; });
    }
};

bool holdsFeatures(PortType type)
{
    return type == PortType::Tokens || type == PortType::Sequence || type == PortType::Vector ||
           type == PortType::Targets || type == PortType::TargetValues;
}

class Meanings {
public:
    explicit Meanings(Plan& plan) : m_plan(plan), m_labels(plan.slots)
    {
        for (const auto& [slot, run] : plan.sourceMeaning)
            for (std::int64_t i = 0; i < run.count; ++i)
                m_labels[slot].each.push_back({run.of, i});
    }

    void find()
    {
        do {
            m_changed = false;
            for (const PlanStep& step : m_plan.steps)
                spread(step);
            for (auto step = m_plan.steps.rbegin(); step != m_plan.steps.rend(); ++step)
                spread(*step);
        } while (m_changed);
        for (const PlanStep& step : m_plan.steps)
            if (!step.block->weights().empty())
                describe(step);
    }

private:
    /// The wire at a port, by its name; kNoSlot where it is free.
    static Slot slotAt(const PlanStep& step, const std::string& port)
    {
        for (const auto& [specs, slots] :
             {std::pair(&step.spec->inputs, &step.inputs), std::pair(&step.spec->outputs, &step.outputs)})
            for (std::size_t i = 0; i < specs->size(); ++i)
                if ((*specs)[i].name == port)
                    return (*slots)[i];
        return kNoSlot;
    }

    /// Of all ports that hold features.
    static std::vector<std::pair<std::string, Slot>> wiresOf(const PlanStep& step)
    {
        std::vector<std::pair<std::string, Slot>> wires;
        for (const auto& [specs, slots] :
             {std::pair(&step.spec->inputs, &step.inputs), std::pair(&step.spec->outputs, &step.outputs)})
            for (std::size_t i = 0; i < specs->size(); ++i)
                if (holdsFeatures((*specs)[i].type) && (*slots)[i] != kNoSlot)
                    wires.emplace_back((*specs)[i].name, (*slots)[i]);
        return wires;
    }

    /// Gives the labels that one side of a pair has to the other, where that has none; never more than it has features,
    /// so that a loop, which moves them on at every round, comes to an end.
    void copy(Slot from, std::int64_t fromAt, Slot to, std::int64_t toAt, std::int64_t count)
    {
        const Labels& given = m_labels[from];
        Labels& taking = m_labels[to];
        if (given.unclear && !taking.unclear)
            m_changed = taking.unclear = true;
        const auto all = static_cast<std::int64_t>(given.each.size());
        const std::int64_t room = fromAt + m_plan.widths[to] - toAt;
        const std::int64_t end = std::min({all, room, count < 0 ? all : fromAt + count});
        for (std::int64_t i = fromAt; i < end; ++i) {
            const Label label = given.each[static_cast<std::size_t>(i)];
            const auto place = static_cast<std::size_t>(i - fromAt + toAt);
            if (label.of == Of::Nothing || (place < taking.each.size() && taking.each[place].of != Of::Nothing))
                continue;
            if (place >= taking.each.size())
                taking.each.resize(place + 1);
            taking.each[place] = label;
            m_changed = true;
        }
    }

    void spread(const PlanStep& step)
    {
        for (const SameFeatures& same : step.block->same()) {
            const Slot from = slotAt(step, same.from), to = slotAt(step, same.to);
            if (from == kNoSlot || to == kNoSlot || from == to)
                continue;
            copy(from, same.fromAt, to, same.toAt, same.count);
            copy(to, same.toAt, from, same.fromAt, same.count);
        }
        if (step.block->same().empty() && step.block->weights().empty())
            blur(step);
    }

    /// A block that has no weights and says nothing: its features may be any mixture.
    void blur(const PlanStep& step)
    {
        const auto wires = wiresOf(step);
        if (std::none_of(wires.begin(), wires.end(), [&](const auto& wire) { return m_labels[wire.second].any(); }))
            return;
        for (const auto& [port, slot] : wires)
            if (Labels& labels = m_labels[slot]; !labels.any())
                m_changed = labels.unclear = true;
    }

    /// Whether weights say how they hang on this port: themselves, or by a port with the same features.
    static bool isNamed(const Block& block, const std::string& port)
    {
        const auto names = [&block](const std::string& name) {
            for (const WeightSpec& spec : block.weightSpecs())
                for (const WeightSize& size : spec.shape)
                    if (size.port == name)
                        return true;
            return false;
        };
        return names(port) || std::any_of(block.same().begin(), block.same().end(), [&](const SameFeatures& same) {
                   return (same.from == port && names(same.to)) || (same.to == port && names(same.from));
               });
    }

    std::vector<IndexRun> runsOf(const PlanStep& step, const WeightSize& size) const
    {
        const Slot slot = size.port.empty() ? kNoSlot : slotAt(step, size.port);
        if (slot == kNoSlot || !m_labels[slot].any())
            return {{Of::Nothing, 0, size.size}};
        if (m_labels[slot].unclear)
            return {{Of::Unclear, 0, size.size}};
        std::vector<Label> once = m_labels[slot].each;
        once.resize(static_cast<std::size_t>(size.size / size.times));
        std::vector<IndexRun> runs;
        for (std::int64_t time = 0; time < size.times; ++time)
            for (std::size_t i = 0; i < once.size(); ++i) {
                const bool goesOn = i > 0 && once[i].of == once[i - 1].of &&
                                    (once[i].of == Of::Nothing || once[i].index == once[i - 1].index + 1);
                if (goesOn)
                    ++runs.back().count;
                else
                    runs.push_back({once[i].of, once[i].index, 1});
            }
        return runs;
    }

    void describe(const PlanStep& step)
    {
        const auto wires = wiresOf(step);
        const bool clear = std::all_of(wires.begin(), wires.end(), [&](const auto& wire) {
            return !m_labels[wire.second].any() || isNamed(*step.block, wire.first);
        });
        const std::size_t first = m_plan.firstWeight.at(step.block.get());
        for (std::size_t i = 0; i < step.block->weights().size(); ++i) {
            Weight& weight = m_plan.weights[first + i];
            const std::string& name = step.block->weights()[i].name;
            for (const WeightSpec& spec : step.block->weightSpecs())
                if (spec.name == name)
                    note(weight, meaningOf(step, spec, clear));
        }
    }

    std::vector<std::vector<IndexRun>> meaningOf(const PlanStep& step, const WeightSpec& spec, bool clear) const
    {
        std::vector<std::vector<IndexRun>> meaning;
        for (const WeightSize& size : spec.shape)
            meaning.push_back(clear ? runsOf(step, size) : std::vector<IndexRun>{{Of::Unclear, 0, size.size}});
        return meaning;
    }

    /// Copies that share weights may read different things.
    void note(Weight& weight, std::vector<std::vector<IndexRun>> meaning)
    {
        if (const auto known = m_noted.find(&weight); known != m_noted.end() && known->second != meaning)
            for (std::size_t d = 0; d < meaning.size(); ++d)
                if (known->second[d] != meaning[d])
                    meaning[d] = {{Of::Unclear, 0, weight.tensor.size(static_cast<std::int64_t>(d))}};
        m_noted[&weight] = meaning;
        const bool any = std::any_of(meaning.begin(), meaning.end(), [](const std::vector<IndexRun>& runs) {
            return std::any_of(runs.begin(), runs.end(), [](const IndexRun& run) { return run.of != Of::Nothing; });
        });
        weight.meaning = any ? std::move(meaning) : std::vector<std::vector<IndexRun>>{};
    }

    Plan& m_plan;
    std::vector<Labels> m_labels; // by slot
    std::map<const Weight*, std::vector<std::vector<IndexRun>>> m_noted;
    bool m_changed = false;
};

} // namespace

void findMeanings(Plan& plan)
{
    Meanings(plan).find();
}

} // namespace unroll
