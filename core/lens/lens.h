// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"
#include "core/lens/frame.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// All that is known of a lens before it is asked.
struct LensSpec {
    std::string id;                       ///< its folder's name: "unit_stats"
    std::string title;                    ///< "State"
    std::string summary;                  ///< one sentence: what it shows
    bool takesSignal = true;              ///< its queries name a signal of a node; false: they are of the whole model
    std::vector<ParamSpec> settings = {}; ///< what a query may set
};

/// One question to a lens. Queries that are equal are one: its frame answers all who asked it.
struct LensQuery {
    std::string lens;      ///< LensSpec::id
    std::string node = {}; ///< path of the node, as SignalFrame::node
    std::string signal = {};
    Params settings = {}; ///< those that are missing have their defaults

    bool operator==(const LensQuery&) const = default;
};

/// What a lens has to show: a struct for each lens, in its folder. Plain values, nothing of torch; not changed once it is made, so that
/// threads may share it.
struct LensData {
    virtual ~LensData() = default;
};

/// The result of one probe for one query.
struct LensFrame {
    LensQuery query;
    std::int64_t step = 0; ///< updates that were trained
    std::string trouble;   ///< why there is no data; empty: there is
    std::shared_ptr<const LensData> data;
};

/// The frame's data as the struct of its lens; null where there is none, or it is another lens's.
template <class Data>
std::shared_ptr<const Data> dataOf(const std::shared_ptr<const LensFrame>& frame)
{
    return frame ? std::dynamic_pointer_cast<const Data>(frame->data) : nullptr;
}

/// What a probe has to record.
struct LensNeeds {
    std::vector<WatchedSignal> watched; ///< each once
    bool forecasts = false;             ///< ProbeFrame::forecasts too
};

/// One way of inspecting a model. All open queries are answered from one probe, a forward pass over the probe text on the run's worker: a lens
/// says what of it is to be recorded, and makes its data from the plain values. Lenses hold nothing, and may be asked from any thread.
/// One that needs the model itself (a gradient, a weight) would need a second way in, called by RunLooks with the Model; there is none so far.
class Lens {
public:
    virtual ~Lens() = default;

    virtual const LensSpec& spec() const = 0;
    /// As it is: the signal that the query names, where the lens takes one.
    virtual LensNeeds needs(const LensQuery& query) const;
    /// The query has all settings, each of the type and within the range that the spec says. What needs() named may be missing from the probe:
    /// a node need not show a signal. Not null; an error says why there is nothing to show.
    virtual Result<std::shared_ptr<const LensData>> see(const ProbeFrame& look, const LensQuery& query) const = 0;
};

using Lenses = std::vector<std::unique_ptr<const Lens>>;

/// Every lens, in the order of their folders core/lens/<lens>/. The list is made from them by cmake/Lenses.cmake.
const Lenses& allLenses();
/// nullptr: there is none with this id.
const Lens* findLens(const std::string& id);

/// What the queries need together. Those of unknown lenses need nothing.
LensNeeds needsOf(const std::vector<LensQuery>& queries);
/// The frame of each query, in their order.
std::vector<std::shared_ptr<const LensFrame>> framesOf(const ProbeFrame& look, const std::vector<LensQuery>& queries);

/// The signal named by the query, from the probe; an error if the node did not provide it.
Result<const SignalFrame*> signalOf(const ProbeFrame& look, const LensQuery& query);

} // namespace unroll
