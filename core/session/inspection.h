// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/check/check.h"
#include "core/data/dataset.h"
#include "core/experiment/experiment.h"
#include "core/lens/lens.h"
#include "core/model/builders.h"
#include "core/runs/environment.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

struct ProbeText;

struct InspectionOptions {
    std::string dataPath;                 ///< reads this file and not the run's; empty: the run's
    std::string checkpoint = "newest";    ///< newest, best, or a step
    std::vector<std::string> assignments; ///< the run under other settings: "parity.validation_longest=1024"
    std::string device = "auto";          ///< as TrainSettings::device
    std::int64_t threads = 0;             ///< 0: all cores
    /// False: the run's data is not opened, so it may be gone, as long as the run remembers its characters or
    /// words.
    bool needsData = true;
};

/// Means over a whole split, which has targets.
struct SplitFigures {
    Split split = Split::Validation;
    std::string scored;   ///< what was read and how: "rows 161 to 200 of 200 of prices.csv, as one stream, ..."
    double loss = 0;      ///< per scored target
    std::string lossUnit; ///< shown behind the loss: "nats/token"
    std::optional<double> bitsPerTarget;    ///< loss / ln 2, of a loss in nats
    std::optional<double> bitsPerCharacter; ///< the same where a target is a character or a byte
    std::optional<double> perplexity;       ///< where the targets are classes, a class for each token
    std::optional<double> accuracy;         ///< of the targets that count for it; where they are classes
    std::int64_t targets = 0;
    std::vector<std::string> labels;     ///< names of the target classes, of labelled data
    std::vector<std::int64_t> confusion; ///< as Evaluation::confusion
    std::optional<Baseline> baseline;    ///< loss of a simple guess on the same targets
    std::string noBaseline;              ///< why there is none, where one could be expected
    std::optional<double> floor;         ///< entropy of these targets in nats, where it is known
    std::optional<double> expected;      ///< entropy of their source
    std::string leak;                    ///< why the loss cannot be; empty: it can
    std::optional<Error> fault;          ///< why the loss is not finite; there are no figures beside it then
};

/// A trained run, examined and not changed. Everything happens on the calling thread, which no other thread may share.
class Inspection {
public:
    static Result<std::unique_ptr<Inspection>> open(const std::string& run, const BlockRegistry& registry,
                                                    const Builders& builders, const InspectionOptions& options);
    ~Inspection();
    Inspection(const Inspection&) = delete;
    Inspection& operator=(const Inspection&) = delete;

    const Experiment& experiment() const;
    const RunEnvironment& environment() const;
    std::int64_t step() const; ///< updates behind the weights
    /// On the data that were opened, how they were read among it.
    std::vector<DataNote> dataNotes() const;
    const std::string& deviceNote() const; ///< why a GPU of this machine is not used; empty: nothing to say
    /// Every signal of every node, in execution order; nodes in groups by their path.
    std::vector<WatchedSignal> signalNames() const;

    /// A whole split. An error where the data was not opened, has no such split, and where nothing in it is a target.
    Result<SplitFigures> evaluate(Split split = Split::Validation);
    /// Of a model that predicts labels: the label of the prompt, see labelOfText(). Else the prompt and `tokens` more,
    /// drawn as the rule says. `heard` gets the text piece by piece as it is generated, bytes
    /// unchanged.
    Result<std::string> sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule,
                               std::uint64_t seed, const std::function<void(const std::string& piece)>& heard = {});
    /// Which words of a prompt are read as <unk>: see unknownText().
    std::string unknownIn(const std::string& prompt) const;
    /// Whether a class is a byte: what such a model writes need be no text.
    bool tellsBytes() const;
    /// The signals on a text of at most `longest` tokens; empty text: the start of the validation split. Errors: a
    /// character that the alphabet lacks, an empty text where the data was not opened.
    Result<ProbeFrame> look(const std::string& text, const std::vector<WatchedSignal>& watched,
                            std::size_t longest = 4096);
    /// The signals on a reading.
    Result<ProbeFrame> look(const ReadingRequest& reading, const std::vector<WatchedSignal>& watched);
    /// What the lens finds on the reading. Not null, and it has its data; an error says why there is nothing to show:
    /// what was asked for cannot be read, the data was not opened and the reading or the lens needs it.
    Result<std::shared_ptr<const LensFrame>> see(const LensQuery& query, const ReadingRequest& reading);
    /// Where the data has this text, for ReadingRequest::at: see findText(). An error where it has not, or was not
    /// opened.
    Result<std::int64_t> find(const std::string& text, std::int64_t from = 0) const;

private:
    struct Parts;
    Result<ProbeText> read(const ReadingRequest& reading);
    explicit Inspection(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

/// The signals that can be watched in a checked graph, in execution order.
std::vector<WatchedSignal> watchableSignals(const Graph& graph, const CheckedGraph& checked);

} // namespace unroll
