// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"
#include "core/train/legend.h"
#include "core/train/tensor_file.h"
#include "core/train/weight_report.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// What is looked for: a weight, or another tensor of that name.
struct WantedTensor {
    std::string name;
    at::Tensor tensor;
    std::string form = {};                           ///< as Weight::form
    std::vector<std::vector<IndexRun>> meaning = {}; ///< as Weight::meaning
};
std::vector<WantedTensor> wantedOf(const std::vector<Weight>& weights);
std::vector<WantedTensor> wantedOf(const NamedTensors& tensors);

/// How weights are looked for in a file or a run.
struct MatchRules {
    Legend legend = {}; ///< of the data here; not said: indices are taken by place, without a word
    bool foreign =
        false; ///< anybody's: names may stand behind what wrappers put there ("module."), numbers may be too large
    std::string there = "file";
};

/// What `wanted` can take from `file`, and what it cannot; nothing is changed until apply().
class WeightMatch {
public:
    WeightMatch(const TensorFile& file, const std::vector<WantedTensor>& wanted, const MatchRules& rules);

    WeightReport& report() { return m_report; }
    const WeightReport& report() const { return m_report; }
    /// Weights that are there in a type which does not tell their values, with the type: "lstm.weight_hh_l0 (I8)".
    const std::vector<std::string>& quantised() const { return m_quantised; }
    /// Copies what can be taken into the wanted tensors.
    void apply() const;

private:
    /// Where along a dimension numbers go, and where they come from; empty lists: as they lie.
    struct Moves {
        std::vector<std::int64_t> to, from;
        std::int64_t foundSize = 0;
        std::vector<std::string> fresh; ///< symbols here that are not there
        bool asTheyLie = true;
        bool unclear = false; ///< nobody knows which index stands for what, and the legends differ
    };
    struct Take {
        at::Tensor into, from;
        std::vector<Moves> moves;
    };

    void look(const TensorFile& file, const WantedTensor& wanted);
    bool refuseType(const TensorFile& file, const std::string& there, const WantedTensor& wanted);
    bool refuseForm(const TensorFile& file, const std::string& there, const WantedTensor& wanted);
    std::vector<Moves> movesOf(const WantedTensor& wanted, const at::Tensor& found) const;
    void addRun(const IndexRun& run, Moves& moves) const;
    void take(const WantedTensor& wanted, const at::Tensor& found, std::vector<Moves> moves);
    void list(const TensorFile& file);
    void compareColumns();
    void noteLegend();

    const std::vector<WantedTensor>& m_wanted;
    const MatchRules m_rules;
    Legend m_there;
    bool m_bySymbol = false;
    std::map<std::string, std::string> m_names; ///< of what is wanted: its name there
    WeightReport m_report;
    std::vector<std::string> m_quantised;
    std::vector<Take> m_takes;
};

} // namespace unroll
