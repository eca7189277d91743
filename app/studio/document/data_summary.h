// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

class DataCache;
struct CheckedGraph;
struct Experiment;

/// What a data node reads, as far as it is shown: of bounded size however large the data.
struct DataSummary {
    static constexpr std::int64_t kShownTokens = 300; ///< of each part
    static constexpr std::size_t kShownLabels = 128;
    static constexpr std::size_t kShownColumns = 32;

    struct Part {
        std::optional<std::int64_t> tokens; ///< nothing: generated endlessly
        std::string beginning;              ///< UTF-8
    };

    Params given;            ///< the node's own parameters when it was read: where they differ by now, this is old
    std::string error;       ///< why it cannot be read; empty: it can, and the rest is known
    std::string description; ///< one line
    std::vector<std::string> notices; ///< what there is to know and nothing to do about
    std::int64_t classes = 0;
    std::vector<std::string> labels; ///< of the first classes
    Part training;
    Part validation;
    std::vector<ColumnSummary> columns; ///< of a table of numbers: the first ones
    std::size_t hiddenColumns = 0;      ///< how many more there are
    std::optional<double> floor;        ///< lower bound of the validation loss, nats per scored token
    std::optional<Baseline> baseline;   ///< what a simple guess loses in validation
    std::string noBaseline;             ///< why there is none, where one could be expected
    std::string probeTrouble; ///< why the probe text cannot be written in its alphabet; empty: it can, or there is none
};

/// By the id of the data node, which stands in the top graph.
using DataSummaries = std::map<NodeId, std::shared_ptr<const DataSummary>>;

/// Sums up the data of experiments that were just checked, while the cache has it open. What was summed up last is
/// remembered, so that an edit elsewhere costs nothing. Touches files: of use on the checker's thread. The cache must
/// outlive it.
class DataReader {
public:
    explicit DataReader(DataCache& cache) : m_cache(cache) {}

    DataSummaries read(const Experiment& experiment, const CheckedGraph& checked);

private:
    struct Read {
        std::weak_ptr<const Dataset> data;
        std::shared_ptr<const DataSummary> summary;
    };
    std::shared_ptr<const DataSummary> readNode(NodeId id, const Experiment& experiment, const CheckedGraph& checked);

    DataCache& m_cache;
    std::map<NodeId, Read> m_last;
};

} // namespace unroll
