// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touched_passes.h"

#include "core/lens/probe.h"

#include <ATen/ops/cat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace unroll {

namespace {

/// One editor behind another.
class BothEditors final : public StepEditor {
public:
    BothEditors(Editor& first, StepEditor& second) : m_first(first), m_second(second) {}

    /// Both are asked, for an editor learns from it what can be changed.
    bool edits(const std::string& node, const std::string& signal) override
    {
        const bool first = m_first.edits(node, signal), second = m_second.edits(node, signal);
        return first || second;
    }

    at::Tensor edited(const std::string& node, const std::string& signal, const at::Tensor& value,
                      const EditPlace& place) override
    {
        const at::Tensor made = m_first.edits(node, signal) ? m_first.edited(node, signal, value, place) : value;
        return m_second.edits(node, signal) ? m_second.edited(node, signal, made, place) : made;
    }

    void leaving(const std::string& node, const PortSpec& port, Value& value, std::int64_t step) override
    {
        m_first.leaving(node, port, value, step);
        m_second.leaving(node, port, value, step);
    }

    bool stepsThrough(const std::string& node) const override
    {
        const auto* const first = dynamic_cast<const StepEditor*>(&m_first);
        return (first != nullptr && first->stepsThrough(node)) || m_second.stepsThrough(node);
    }

private:
    Editor& m_first;
    StepEditor& m_second;
};

/// A signal as it is changed inside of a block, step by step, in the pieces that the block makes of it: layers and
/// directions one by one.
class SignalPieces {
public:
    void add(const at::Tensor& values, const EditPlace& place)
    {
        for (std::int64_t t = 0; t < values.size(0); ++t) {
            Step& step = m_steps[place.step + t];
            step.pieces[place.unit] = values.narrow(0, t, 1).detach().clone();
            step.width = place.width;
        }
    }

    /// [steps, B, ...]; nothing where it is not known whole at so many steps.
    std::optional<at::Tensor> joined(std::int64_t steps) const
    {
        std::vector<at::Tensor> all;
        for (const auto& [number, step] : m_steps) {
            at::Tensor whole = step.pieces.begin()->second;
            if (step.pieces.size() > 1) {
                std::vector<at::Tensor> pieces;
                for (const auto& [unit, piece] : step.pieces)
                    pieces.push_back(piece.flatten(2));
                whole = at::cat(pieces, 2);
            }
            const bool isWhole = step.width == 0 || whole.flatten(2).size(2) == step.width;
            if (!isWhole || (!all.empty() && all.front().sizes() != whole.sizes()))
                return std::nullopt;
            all.push_back(std::move(whole));
        }
        return std::ssize(all) == steps && steps > 0 ? std::optional(at::cat(all)) : std::nullopt;
    }

private:
    struct Step {
        std::map<std::int64_t, at::Tensor> pieces; ///< by their first unit
        std::int64_t width = 0;                    ///< of the whole; 0: a piece is all of it
    };
    std::map<std::int64_t, Step> m_steps;
};

/// Shows an observer what blocks show, and of nodes that are changed inside what the editor saw: their blocks need not
/// show that.
class InsideShown final : public Observer {
public:
    InsideShown(Observer& whole, ValueEditor& editor) : m_whole(whole), m_editor(editor)
    {
        editor.watch([this](const std::string& node, const std::string& signal) { return wants(node, signal); },
                     [this](const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place) {
                         m_seen[signal].add(values, place);
                     });
    }
    ~InsideShown() override { m_editor.watch({}, {}); }
    InsideShown(const InsideShown&) = delete;
    InsideShown& operator=(const InsideShown&) = delete;

    bool wants(const std::string& node, const std::string& signal) const override
    {
        return m_whole.wants(node, signal);
    }
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override
    {
        const auto seen = m_seen.extract({node, signal});
        const auto changed = seen.empty() ? std::nullopt : seen.mapped().joined(value.size(0));
        m_whole.show(node, signal,
                     changed && changed->numel() == value.numel() ? changed->reshape(value.sizes()) : value);
    }
    void entering(const std::string& node, const BlockSpec& spec, std::vector<Value>& inputs) override
    {
        m_whole.entering(node, spec, inputs);
    }
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        m_whole.onOutput(node, port, value);
    }

    /// After a pass of so many steps: what no block has shown.
    void finish(std::int64_t steps)
    {
        for (const auto& [signal, pieces] : m_seen)
            if (const auto changed = pieces.joined(steps))
                m_whole.show(signal.node, signal.signal, *changed);
    }

private:
    Observer& m_whole;
    ValueEditor& m_editor;
    std::map<WatchedSignal, SignalPieces> m_seen;
};

std::int64_t sequencesOf(const ModelInput& input)
{
    return input.tokens.defined() ? input.tokens.size(1) : input.features.defined() ? input.features.size(1) : 1;
}

} // namespace

TouchedPasses::TouchedPasses(Model& model, const Dataset* data, const std::vector<Edit>& edits)
    : m_model(model), m_run(model, data, edits, 0)
{}

TouchedPasses::~TouchedPasses()
{
    m_model.wrap(nullptr);
}

Result<std::unique_ptr<TouchedPasses>> TouchedPasses::over(Model& model, const Dataset* data, const ProbeText& text,
                                                           const std::vector<Edit>& edits)
{
    std::unique_ptr<TouchedPasses> made(new TouchedPasses(model, data, edits));
    const ModelInput one = sideBySide(text, model, 1);
    auto run = made->m_run.prepare(one);
    if (!run)
        return tl::unexpected(run.error());
    if (run->editor != nullptr)
        if (auto can = tryEdits(model, one, *run); !can)
            return tl::unexpected(can.error());
    made->m_editor = run->editor;
    made->m_start = std::move(run->start);
    model.wrap(made.get());
    return made;
}

States TouchedPasses::start(std::int64_t sequences) const
{
    States all = m_start;
    for (auto& [node, state] : all)
        for (at::Tensor& part : state)
            if (part.defined() && sequences != 1) {
                std::vector<std::int64_t> sizes = part.sizes().vec();
                sizes[0] = sequences;
                part = part.expand(sizes).contiguous();
            }
    return all;
}

ModelOutput TouchedPasses::pass(Model& model, const ModelInput& input, const States& states, const PassContext& context)
{
    const States begun = states.empty() && context.step == 0 ? start(sequencesOf(input)) : states;
    if (m_editor == nullptr)
        return model.forward(input, begun, context);
    PassContext touched = context;
    touched.editor = m_editor;
    std::optional<BothEditors> both;
    if (context.editor != nullptr)
        touched.editor = &both.emplace(*context.editor, *m_editor);
    if (context.observer == nullptr)
        return model.forward(input, begun, touched);
    InsideShown shown(*context.observer, *m_editor);
    touched.observer = &shown;
    ModelOutput output = model.forward(input, begun, touched);
    shown.finish(stepsOf(input));
    return output;
}

} // namespace unroll
