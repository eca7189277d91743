// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/group/place.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace unroll {

/// Another rank is gone or silent: nothing can be summed any more. what() is a sentence that names it where that is
/// known.
class LostPeer : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What was sent so far.
struct GroupTraffic {
    std::int64_t sums = 0;  ///< calls of sum()
    std::int64_t bytes = 0; ///< of the tensors that this rank gave to them
    double seconds = 0;     ///< that this rank spent in them, waiting for the others included
};

/// Ranks that train one model together. sum() to texts() are made by all ranks in the same order, and each waits for
/// the others; they throw LostPeer where one does not come within the time-out, and then nothing works any more. Used
/// by one thread.
class RankGroup {
public:
    RankGroup() = default;
    virtual ~RankGroup() = default;
    RankGroup(const RankGroup&) = delete;
    RankGroup& operator=(const RankGroup&) = delete;

    virtual std::int64_t rank() const = 0;
    virtual std::int64_t size() const = 0;
    virtual std::string backend() const = 0; ///< "Gloo", "NCCL"

    /// Adds each tensor up over all ranks, in place, with the same bits on every rank. Small ones travel together, in
    /// buckets of 25 MB.
    virtual void sum(std::vector<at::Tensor> tensors) = 0;
    /// The greatest over all ranks of each number, in place. What is not a number may get lost.
    virtual void most(at::Tensor numbers) = 0;
    /// Of all ranks, in their order: the same shape everywhere.
    virtual std::vector<at::Tensor> gather(const at::Tensor& mine) = 0;
    /// Everywhere what rank 0 has, in place.
    virtual void broadcast(at::Tensor tensor) = 0;
    /// Of all ranks, in their order.
    virtual std::vector<std::string> texts(const std::string& mine) = 0;

    /// Tells the others why this rank ends before its time: what they hear when they miss it.
    virtual void leave(const std::string& reason) = 0;
    virtual GroupTraffic traffic() const = 0;
};

/// Each name and value must be the same on all ranks: else an error that names the first rank that differs from rank 0,
/// the same words everywhere. All ranks have the same names in the same order.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;
Result<void> agree(RankGroup& group, const NamedTexts& mine);

/// Meets the others at `place` and connects to them. `device`: where the tensors will be, "cpu" or "cuda:0". Errors:
/// ranks that did not come, an address that cannot be used.
Result<std::unique_ptr<RankGroup>> joinGroup(const RankPlace& place, const std::string& device);

} // namespace unroll
