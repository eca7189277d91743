// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/limit_watch.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Where a number stopped being finite.
struct BadNode {
    std::string node;                   ///< its path, dots in groups; empty: could not be found again
    std::string sentence;               ///< "NaN in mru_2 (state H) at step 36, forward pass"
    bool fromData = false;              ///< the batch itself held it, so that no setting of training helps
    std::vector<SignalPeak> peaks = {}; ///< of signals that have a limit, when the batch was run again
};

/// A place and what was wrong there, before it is known when.
struct BadPlace {
    std::string node;
    std::string what; ///< "NaN in mru_2 (state H)"
    std::string pass; ///< "forward pass"

    /// `when`: "at step 36".
    BadNode at(const std::string& when) const;
};

/// Records a pass: what every node read and gave, and the first number among it that is not finite. With gradients on,
/// those of everything recorded are kept, so that the node is found in which one stopped being finite on the way back.
class PassRecord : public LimitWatch {
public:
    /// `source`: the data node, which is to blame for what is bad before any node has run.
    PassRecord(std::vector<LimitedSignal> limited, std::string source);

    bool followsGradients() const override { return true; }
    void entering(const std::string& node, const BlockSpec& spec, std::vector<Value>& inputs) override;
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override;

    /// Of the forward pass.
    const std::optional<BadPlace>& found() const { return m_found; }
    /// Of the backward pass over what was recorded: the node whose outputs have finite gradients while its weights or
    /// inputs have not.
    std::optional<BadPlace> badGradient(const std::vector<Weight>& weights) const;
    /// Forgets the pass, but not what was found.
    void clear() { m_calls.clear(); }

private:
    struct Call {
        std::string node;
        const BlockSpec* spec;
        std::vector<Value>
            inputs; ///< each a tensor of its own, so that its gradient is what this node alone sends back
        std::vector<std::pair<std::string, at::Tensor>> outputs;
        std::map<std::string, std::size_t> parts; ///< tensors that have left each port
    };
    static std::optional<BadPlace> badWeightGradient(const Call& call, const std::vector<Weight>& weights);
    static std::optional<BadPlace> badInputGradient(const Call& call);
    void note(const std::string& node, std::string place, const at::Tensor& value);
    void checkInput(const Call& call, std::size_t port);

    std::string m_source;
    std::deque<Call> m_calls;
    std::optional<BadPlace> m_found;
    bool m_foundLoss = false; ///< what was found is the loss of the node that runs; its prediction says more
};

/// The first weight with a number that is not finite. `pass`: what may have put it there, where that is known.
std::optional<BadPlace> badWeight(const std::vector<Weight>& weights, const std::string& pass = "weights");
/// What the weights' penalties add to the loss, where that is not finite.
std::optional<BadPlace> badPenalty(const std::vector<Weight>& weights);
/// Of gradients that are finite while their norm is not: the largest.
std::optional<BadPlace> largestGradient(const std::vector<Weight>& weights);

/// Runs a forward pass again that gave a number that is not finite, and says where it came from. `when`: "at step 36".
BadNode findInForward(Model& model, const ModelInput& input, const States& states, const std::string& when);

} // namespace unroll
