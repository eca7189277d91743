// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/group/group.h"
#include "core/model/model.h"
#include "core/train/bad_number.h"
#include "core/train/evaluation.h"

#include <ATen/core/Generator.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// What is asked of a training. Of one rank it is asked of all: it travels with the next sums, so that all do it after
/// the same update.
struct Wishes {
    bool stop = false;
    bool pause = false;
    bool checkpoint = false;
    std::optional<double> learningRate; ///< another peak
};

/// What a rank does of an update and of an evaluation, and how the ranks' parts become one again. Rank r of W has the
/// sequences B r / W to B (r + 1) / W of every batch, which is the same pure function everywhere. The calls that are
/// marked are made by all ranks together and throw LostPeer.
class Ranks {
public:
    /// `device`: where the model is.
    Ranks(std::unique_ptr<RankGroup> group, at::Device device) : m_group(std::move(group)), m_device(device) {}

    RankGroup& group() { return *m_group; }
    std::int64_t size() const { return m_group->size(); }
    bool leads() const { return m_group->rank() == 0; } ///< and writes the run

    Batch shareOf(const Batch& whole) const;
    States shareOf(const States& whole) const;
    /// Draws of this rank at this step: a pure function of them, so that no generator has to be saved.
    void seedDraws(at::Generator& generator, std::uint64_t seed, std::int64_t step) const;

    /// To be sent with the next addUp().
    Wishes& wishes() { return m_wishes; }
    std::int64_t bytesOfUpdate() const { return m_bytes; } ///< that this rank gave to the newest

    struct Sums {
        double loss = 0;
        Wishes wishes; ///< of all
    };
    /// By all: adds up the gradients of trained weights, in place, and the loss (undefined: this rank has no target).
    /// A weight has a gradient afterwards where it had one on any rank. `learns`: the batch has a target on some rank;
    /// else wishes alone travel.
    Sums addUp(const std::vector<Weight>& weights, const at::Tensor& loss, bool learns);
    /// By all.
    void addUp(Tally& tally);
    void greatest(std::vector<SignalPeak>& peaks); ///< by all
    BadNode first(const BadNode& found);           ///< by all: that of the first rank that has found a node
    States whole(const States& share);             ///< by all: of all sequences
    Result<void> agree(const NamedTexts& mine) { return unroll::agree(*m_group, mine); } ///< by all
    /// By all: whether these have the same bits everywhere; where not, all get those of rank 0.
    bool align(const std::vector<at::Tensor>& tensors);
    bool decide(bool ofRank0); ///< by all

private:
    std::unique_ptr<RankGroup> m_group;
    at::Device m_device;
    Wishes m_wishes;
    std::int64_t m_bytes = 0;
};

/// A number that tells tensors with other bits apart.
std::int64_t digestOf(const std::vector<at::Tensor>& tensors);

} // namespace unroll
