// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"
#include "core/model/model.h"
#include "core/model/step_editor.h"

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace unroll {

/// Why a change cannot be made; thrown from within a pass.
struct EditTrouble : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Changes signals, wherever they are found: in the block, in the state that it hands on, or where they leave a port.
/// What a change is, is said by the class that derives from it.
class ValueEditor : public StepEditor {
public:
    /// Where a signal is changed.
    enum class Way {
        Inside,  ///< where the block makes it: all that reads it reads the changed one
        Carried, ///< where the block hands it on to the next step
        Output   ///< where it leaves a port
    };

    /// `wanted`: the signals to be changed; a node without a signal stands for all that it outputs.
    explicit ValueEditor(std::vector<WatchedSignal> wanted) : m_wanted(std::move(wanted)) {}

    /// Is told what goes on inside of a block, changed or as it is: values as the block has them, [T, B, n] or [T, B,
    /// matrices, rows, columns], of the units from place.unit on.
    using Seen = std::function<void(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place)>;
    using Wants = std::function<bool(const std::string& node, const std::string& signal)>;
    /// Tells that of the wanted signals, in nodes where something is changed inside: a block need not show there what
    /// an editor made of its signals. Both empty: of none any more.
    void watch(Wants wanted, Seen seen);

    bool edits(const std::string& node, const std::string& signal) final;
    at::Tensor edited(const std::string& node, const std::string& signal, const at::Tensor& value,
                      const EditPlace& place) final;
    void leaving(const std::string& node, const PortSpec& port, Value& value, std::int64_t step) final;

    /// After a pass: which of the wanted signals was not to be changed, and what can be instead. Empty: all were.
    std::string trouble() const;
    /// Of a wanted signal, after a pass without trouble.
    Way way(const WatchedSignal& signal) const { return m_ways.at(signal); }
    /// Whether later steps of the node depend on what is changed there otherwise than through its outputs; known after
    /// a pass.
    bool stepsThrough(const std::string& node) const final;
    /// Whether one of its signals is changed where the block makes it; known after a pass.
    bool changesInside(const std::string& node) const;
    /// Whether any node has to be run step by step.
    bool needsSteps() const;

protected:
    /// A tensor [T, B, n] with what goes on in place of `values`, [T, B, n], of the units from place.unit on.
    /// `isOutput`: it leaves a port, which is wanted itself or with its node.
    virtual at::Tensor changed(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place,
                               bool isOutput) = 0;

private:
    bool wants(const std::string& node, const std::string& signal) const;
    bool sees(const std::string& node, const std::string& signal) const;
    void change(const WatchedSignal& signal, at::Tensor& value, std::int64_t step, Way way);

    std::vector<WatchedSignal> m_wanted;
    Wants m_watched;
    Seen m_seen;
    std::map<WatchedSignal, Way> m_ways;                    ///< of what was changed
    std::map<std::string, std::set<std::string>> m_changes; ///< by node: what can be
};

} // namespace unroll
