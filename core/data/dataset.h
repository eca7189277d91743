// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_summary.h"
#include "core/data/data_note.h"
#include "core/data/table_format.h"
#include "core/data/vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// A target with this value adds nothing to the loss.
inline constexpr int32_t kIgnoredTarget = -100;

/// What one step of training or evaluation reads: classes (tokens and targets) or numbers (features and values).
/// Time-major: the entry of step t and sequence b lies at t * sequences + b, and its numbers side by side.
struct Batch {
    int64_t steps = 0;            // T
    int64_t sequences = 0;        // B
    std::vector<int32_t> tokens;  // T*B class indices
    std::vector<int32_t> targets; // T*B class indices, kIgnoredTarget where there is no target
    std::vector<float> features;  // T*B*inputs numbers
    std::vector<float> values;    // T*B*targets numbers to predict, NaN where there is no target
    std::vector<uint8_t> mask;    // T*B, 1 = a real step, 0 = padding; empty = all real
    std::vector<uint8_t> scored;  // T*B, 1 = counts for the accuracy; empty = every position that has a target
    std::vector<uint8_t>
        fresh; // B, 1 = this stream starts again: its carried state must be zeroed; empty = all continue

    /// Marks the steps from `step` on as padding in one sequence; does nothing where that is the end.
    void maskFrom(int64_t step, int64_t sequence);
    /// Number of targets that the loss is averaged over: classes, or single numbers.
    int64_t scoredTargets() const;
    /// Whether there is any target. A mean over none is not a number.
    bool asks() const;

    bool operator==(const Batch&) const = default;
};

/// What the numbers of a dataset are like: how many columns there are, 0 where the data are classes.
struct NumberFacts {
    int64_t inputs = 0;
    int64_t targets = 0;
    bool shares = false; // all targets lie within 0..1
};

/// The loss of a simple guess; a model that has learned something is below it.
struct Baseline {
    double loss = 0;
    std::string unit;                    // of the loss; a loss in another unit is not comparable
    std::string guess;                   // "the best guess without memory"
    std::optional<double> accuracy = {}; // of always predicting the most frequent class
    std::string accuracyGuess = {};      // "always hen"
};

/// Whether a loss in this unit can be compared with an entropy.
bool isInNats(const std::string& lossUnit);

/// All: the others together, in their order.
enum class Split { Train, Validation, Test, All };
const char* splitWord(Split split); // "train", "val", "test", "all"

/// What an evaluation asks for.
struct Portion {
    Split split = Split::Validation;
    int64_t batchSize = 1;
    int64_t batches = 0; // the first ones that have targets; 0: the whole split
};

/// How many targets a split has, of data that may lack some.
struct TargetCensus {
    int64_t targets = 0; // of the whole split: classes, or single numbers
    int64_t batches = 0; // that were examined
    int64_t empty = 0;   // of these: without a target
    // Where the whole split has none of a kind: "column y holds no number in rows 2 to 240 of 300"; else empty.
    std::string lacks;
};

/// Where inputs and targets come from, and the alphabet they are written in; data of numbers have no classes and no
/// alphabet. Every batch is a pure function of the arguments: a run resumes at any step, and no state has to be saved.
class Dataset : public Vocabulary {
public:
    Dataset() = default;
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;
    ~Dataset() override;

    virtual NumberFacts numbers() const; // of features and values
    /// Names of the target classes where they differ from the input's; none: they are the alphabet's, or the targets
    /// are numbers.
    virtual std::vector<std::string> labels() const;
    virtual int64_t steps() const = 0;     // T of training batches; evaluation of a task may use longer ones
    virtual bool carriesState() const = 0; // batch s + 1 continues the streams of batch s (see Batch::fresh)

    /// Whether training batches of this many sequences can be made; the error gives the numbers. Ask before batch().
    virtual Result<void> accepts(int64_t batchSize) const = 0;

    /// Training's batch at `step` >= 0; with another split the evaluation batches, over and over.
    Batch batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const;
    virtual Batch trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const = 0;

    /// Whether there is anything to evaluate. Of endless training data: a fixed set of the same kind.
    virtual bool has(Split split) const;
    /// Whole-split evaluation, of a split that exists: batches 0 .. n - 1 hold every target of the split exactly once.
    /// The padding of the last ones is masked and has no target. Any batch size >= 1 will do; data with an order use
    /// their own.
    virtual int64_t batchesInSplit(Split split, int64_t batchSize) const = 0;
    virtual Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const = 0;
    /// How many of these are warm-up: they have few targets or none and bring the carried states to where the split
    /// begins.
    virtual int64_t warmUp(Split split) const;
    /// One sequence as a reader is shown it, from a zero state, with its targets and without padding: where there is an
    /// order, `length` steps from place `at` on whatever T is, fewer where the split or the file ends; else sequence
    /// number `at`, of which the first `length` steps. All: what was read, whatever its splits. 0 <= at <
    /// places(split), length >= 1.
    virtual Batch stretch(Split split, int64_t at, int64_t length) const;
    /// The batches of a portion, from the first of its split on.
    int64_t batchesIn(const Portion& portion) const;
    /// What whole-split evaluation reads and how, as sentences say it: "rows 161 to 200 of 200, as one stream, ...".
    virtual std::string evaluationText(Split split) const = 0;

    /// Of data that may lack targets, with the first `batches` batches of training, or of whole-split evaluation: never
    /// more than there are, and fewer where looking at all of them would take long. Needs accepts(batchSize). Nothing:
    /// every batch has targets.
    virtual std::optional<TargetCensus> census(Split split, int64_t batches, int64_t batchSize, uint64_t seed) const;

    /// How many tokens (or rows of numbers) the split has; nothing where it is made again without end.
    virtual std::optional<int64_t> tokensIn(Split split) const;
    /// The first tokens of the split in their order, at most `count`: what a reader is shown of it. Where sequences
    /// stand for themselves, those of whole-split evaluation one after the other.
    virtual std::vector<int32_t> beginning(Split split, int64_t count) const;

    /// Entropy in nats per target, which no model can beat: of these targets (exact), and of their source (expected).
    /// Nothing: not known, or the targets are neither classes nor shares.
    virtual std::optional<double> entropyFloor(const Portion& portion) const;
    virtual std::optional<double> entropyExpected(Split split) const;
    /// Of these very targets.
    virtual std::optional<Baseline> baseline(const Portion& portion) const;
    /// Why there is none, of data of which one could be expected, as the end of a sentence; else empty.
    virtual std::string whyNoBaseline(const Portion& portion) const;

    /// The columns of data that are numbers, as a reader is shown them; how a model that learned from them reads
    /// others.
    virtual std::vector<ColumnSummary> columns() const;
    virtual SeriesScales scales() const;

    virtual std::string describe() const = 0;               // one line: what it is and how large
    virtual std::string contentHash() const = 0;            // names the data: runs on equal hashes read the same tokens
    virtual std::vector<DataNote> notes() const;            // what a user should know of the data
    std::vector<std::string> notices() const;               // their sentences
    virtual std::optional<TableFormat> tableFormat() const; // of a table in a file: how it was read

    /// Whether steps follow one another through all of the data, as in a text or a table; false: sequences that stand
    /// for themselves.
    virtual bool hasOrder() const;
    /// Whether what is asked for at a step is the token that comes next.
    virtual bool asksNext() const;
    /// How many places stretch() knows: steps that can be read, or sequences.
    virtual int64_t places(Split split) const;

protected:
    /// Where Split::All is its parts one after the other: which of them the batch is in, and its index there.
    std::pair<Split, int64_t> partOf(int64_t index, int64_t batchSize) const;
    int64_t batchesInParts(int64_t batchSize) const;
};

} // namespace unroll
