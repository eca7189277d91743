// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"
#include "core/lens/figure.h"
#include "core/lens/frame.h"
#include "core/lens/history.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

class Dataset;
class Model;
struct LastUpdate;
struct ProbeText;

/// All that is known of a lens before it is asked.
struct LensSpec {
    std::string id;          ///< its folder's name: "unit_stats"
    std::string title;       ///< "State"
    std::string summary;     ///< one sentence: what it shows
    bool takesSignal = true; ///< its queries name a signal of a node; false: they are of the whole model
    /// What a query may set. Three names are filled in by the window from what all lenses share: `step` (Int, the
    /// cursor; -1: none), `from` and `to` (Int, the brushed span, `to` excluded; both -1: none), `units` (Text, the
    /// selected units, "3,17"; empty: none). ParamSpec::whenEmpty of a number is the meaning of its
    /// least value, or of the default where it has no least.
    std::vector<ParamSpec> settings = {};
    /// It runs the model beyond the one pass over the reading, so that it has a share of the budget of its own.
    bool heavy = false;
    bool matchesUnits = false; ///< LensData::matched() pairs the units of two sides
    bool summarises = false;   ///< summary() gives numbers that are kept over training
    bool readsUpdate = false;  ///< and reads LensSubject::update for them
    bool anySignal = false;    ///< it is of the node: whichever of its signals is named will do
    std::string noEdits = {};  ///< why it cannot be asked under edits, "weights come from training"; empty: it can
};

/// One question to a lens. Queries that are equal are one: its frame answers all who asked it.
struct LensQuery {
    std::string lens;      ///< LensSpec::id
    std::string node = {}; ///< path of the node, as SignalFrame::node
    std::string signal = {};
    Params settings = {};  ///< those that are missing have their defaults
    std::string edit = {}; ///< edits under which the reading is made, as parseEdits() takes them; empty: none

    bool operator==(const LensQuery&) const = default;
};

/// Whether both ask the same, under whatever edits.
bool isSameButEdits(const LensQuery& one, const LensQuery& other);

/// Two sides whose units were paired: row by row, unit by unit.
struct MatchedFigures {
    Figure first, second;
    std::vector<std::string> findings; ///< how well they match
    FigureTable pairs;                 ///< "unit", "unit", "r"
};

/// What a lens has to show: a struct for each lens, in its folder. Plain values, nothing of torch; not changed once it
/// is made, so that threads may share it.
struct LensData {
    virtual ~LensData() = default;
    /// The same, ready to be drawn or written.
    virtual Figure figure() const = 0;
    /// This and another one's, of the same lens, with each unit beside the one of the other that it goes with: where
    /// LensSpec::matchesUnits. An error says why they cannot be paired.
    virtual Result<MatchedFigures> matched(const LensData& second) const;
};

/// The result of one probe for one query.
struct LensFrame {
    LensQuery query;
    std::int64_t step = 0; ///< updates that were trained
    std::string trouble;   ///< why there is no data; empty: there is
    std::shared_ptr<const LensData> data;
    std::string reading = {}; ///< what was read, as readingMark() has it: equal where the same was
    std::string source = {};  ///< the data of the run, in words; empty: they were not available
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
    bool answers = false;               ///< ProbeFrame::answers too
    bool update = false;                ///< LensSubject::update, where there is one
};

/// What a lens may look at. On the worker's thread alone.
struct LensSubject {
    const ProbeFrame& look;
    /// In evaluation mode, to be run and not to be changed; where the query has edits, every pass of it is made under
    /// them, if only PassContext::step is right. Null: only the snapshot is available.
    Model* model = nullptr;
    const Dataset* data = nullptr;            ///< null: not available
    const ProbeText* text = nullptr;          ///< what the snapshot was taken of; null: not known
    std::stop_token end = {};                 ///< give up: the answer is not wanted any more
    const LensHistories* histories = nullptr; ///< what lenses have kept over training; null: nothing
    const LastUpdate* update = nullptr; ///< the newest update, where it was done here and kept; null: not available
};

/// One way of inspecting a model. All open queries are answered from one reading, a forward pass over the probe text on
/// the run's worker: a lens says what of it is to be recorded, and makes its data from the plain values; one that needs
/// more (a gradient, a weight, other data) runs the model itself. Lenses hold nothing, and may be asked from any
/// thread.
class Lens {
public:
    virtual ~Lens() = default;

    virtual const LensSpec& spec() const = 0;
    /// As it is: the signal that the query names, where the lens takes one.
    virtual LensNeeds needs(const LensQuery& query) const;
    /// The query has all settings, each of the type and within the range that the spec says. What needs() named may be
    /// missing from the probe: a node need not show a signal. Not null; an error says why there is nothing to show.
    virtual Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const = 0;
    /// Numbers of the whole model as it is, by name, that are kept over training: a point of a curve each. Of a lens
    /// that summarises, which finds those of earlier steps in LensSubject::histories when it is asked; the snapshot is
    /// empty but for its step. An error: there is nothing to keep.
    virtual Result<std::vector<LensNumber>> summary(const LensSubject& subject) const;
};

using Lenses = std::vector<std::unique_ptr<const Lens>>;

/// Every lens, in the order of their folders core/lens/<lens>/. The list is made from them by cmake/Lenses.cmake.
const Lenses& allLenses();
/// nullptr: there is none with this id.
const Lens* findLens(const std::string& id);
/// Why the lens cannot be asked under edits, as a sentence without its full stop; empty: it can.
std::string whyNoEdits(const LensSpec& spec);

/// What the queries need together. Those of unknown lenses need nothing.
LensNeeds needsOf(const std::vector<LensQuery>& queries);
/// The frame of each query, in their order.
std::vector<std::shared_ptr<const LensFrame>> framesOf(const LensSubject& subject,
                                                       const std::vector<LensQuery>& queries);
/// One of them.
std::shared_ptr<const LensFrame> frameOf(const LensSubject& subject, const LensQuery& query);

/// What this lens has kept over training; empty: nothing.
const LensHistory& historyOf(const LensSubject& subject, const std::string& lens);

/// The signal named by the query, from the probe; an error if the node did not provide it.
Result<const SignalFrame*> signalOf(const ProbeFrame& look, const LensQuery& query);

} // namespace unroll
