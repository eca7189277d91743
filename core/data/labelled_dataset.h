// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <array>
#include <string>
#include <vector>

namespace unroll {

/// How sequences are divided into parts.
struct LabelledSplit {
    bool byOrder = false; // the last ones validate; else each label's are drawn, as many of each as the fraction says
    double validationFraction = 0.2; // of all; at least one sequence
    double testFraction = 0; // of all: seen neither in training nor in validation, and behind both in the file's order
    uint64_t seed = 1;       // of the draw; a run's own seed does not change it
    bool toTrain = true;     // false: a part may be empty, for a model that was trained on other data looks at these
    /// Of each sequence, where the data have parts of their own: fractions are then of those to train on, and none of
    /// these validate where others do. Empty: all are to train on.
    std::vector<Split> parts = {};
};

/// The labels of a set, and which sequence has which.
struct Labels {
    std::vector<std::string> names; // as whole numbers in their order where all are such, else by their text
    std::vector<int32_t> classes;   // of each sequence

    /// In the order of `known` where a trained model has learned some; the error names a label that is none of these,
    /// by its line.
    static Result<Labels> of(const std::vector<std::string>& labels, const std::vector<int64_t>& lines,
                             const std::vector<std::string>& known);
};

/// Sequences that each have one label, which is asked for at the last real step. They differ in length: what fills them
/// up is masked. Training goes through all of its part in an order that the run's seed draws, another each epoch.
class LabelledDataset : public Dataset {
public:
    std::vector<std::string> labels() const final { return m_labels.names; }
    int64_t steps() const final { return m_steps; }
    bool carriesState() const final { return false; }
    Result<void> accepts(int64_t batchSize) const final;
    Batch trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const final;
    bool has(Split split) const final { return !part(split).empty(); }
    int64_t batchesInSplit(Split split, int64_t batchSize) const final;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const final;
    std::optional<int64_t> tokensIn(Split split) const final; // real steps
    std::string evaluationText(Split split) const final;
    /// Each label as often as in training; always the one that is most frequent there.
    std::optional<Baseline> baseline(const Portion& portion) const final;
    std::vector<DataNote> notes() const final { return m_notes; }

protected:
    /// `lengths` of the sequences as they are read. Errors: no sequence, one label alone, a part that is to be trained
    /// on without a sequence.
    Result<void> prepare(Labels labels, std::vector<int64_t> lengths, const LabelledSplit& split);
    /// Writes the steps of a sequence into column `b` of a batch; a step's numbers or token.
    virtual void write(Batch& batch, int64_t b, size_t sequence) const = 0;
    void note(DataNote note) { m_notes.push_back(std::move(note)); }

    const std::vector<size_t>& part(Split split) const { return m_parts[static_cast<size_t>(split)]; }
    int64_t length(size_t sequence) const { return m_lengths[sequence]; }
    int32_t classOf(size_t sequence) const { return m_labels.classes[sequence]; }
    /// "800 to train on, 200 to validate; labels: fox 512, hen 488".
    std::string partsText() const;

private:
    Batch blank(int64_t batchSize) const;
    void place(Batch& batch, int64_t b, size_t sequence) const;
    void divide(const LabelledSplit& split);
    void noteLabels();
    std::vector<int64_t> countsIn(const std::vector<size_t>& part) const;

    Labels m_labels;
    std::vector<int64_t> m_lengths;
    std::array<std::vector<size_t>, 4> m_parts; // by Split
    int64_t m_steps = 1;
    std::vector<DataNote> m_notes;
};

} // namespace unroll
