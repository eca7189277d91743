// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/data/random.h"

#include <functional>
#include <memory>
#include <string_view>

namespace unroll {

/// One sequence of a batch while it is drawn. Steps count from 0; a batch holds classes or numbers, as its task does.
/// What is not written reads class 0 or the number 0, and asks for nothing.
class Draft {
public:
    Draft(Batch& batch, int64_t sequence) : m_batch(batch), m_sequence(sequence) {}

    void token(int64_t step, int64_t token);
    /// The class that is to be told at this step; without `counts` it has a loss, but is left out of the accuracy.
    void ask(int64_t step, int64_t target, bool counts = true);
    void feature(int64_t step, int64_t channel, float value);
    void askValue(int64_t step, int64_t channel, float value);
    /// The sequence is over: padding from this step on.
    void end(int64_t step) { m_batch.maskFrom(step, m_sequence); }

private:
    size_t at(int64_t step) const { return static_cast<size_t>(step * m_batch.sequences + m_sequence); }
    float& number(std::vector<float>& numbers, int64_t step, int64_t channel) const;

    Batch& m_batch;
    int64_t m_sequence;
};

/// Tasks whose sequences are drawn one by one: training has no end or a set of its own, whole-split evaluation reads a
/// fixed set, and the test another one of the same kind as validation. Sequence i of a seed is a pure function of
/// (seed, i): batch s of size B holds the sequences s * B ... The sets are the same for every seed and come from
/// streams of their own; the order in which training goes through its set is the seed's, another each epoch.
class GeneratedTask : public Dataset {
public:
    bool carriesState() const final { return false; }
    Result<void> accepts(int64_t batchSize) const final;
    Batch trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const final;
    bool has(Split) const override { return true; }
    int64_t batchesInSplit(Split split, int64_t batchSize) const final;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const final;
    std::string evaluationText(Split split) const override;
    std::optional<int64_t> tokensIn(Split split) const override;
    /// 0: who has understood makes no mistake.
    std::optional<double> entropyFloor(const Portion& portion) const override;
    std::optional<double> entropyExpected(Split split) const override;
    /// Labels one after the other; where any is longer than a byte, with spaces between.
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>& tokens) const override { return written(tokens, true); }
    std::string written(const std::vector<int32_t>& tokens, bool begins) const override;

    /// The same task whose validation sequences have so many steps, or as many as come next to it in the task's form;
    /// null where it has none such. Sequence i is another one than here.
    virtual std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const = 0;

    static constexpr int64_t kMostSteps = 1'000'000;

protected:
    /// Null where the options are refused.
    template <class Task>
    static std::shared_ptr<const GeneratedTask> orNone(const Result<std::shared_ptr<const Task>>& made)
    {
        return made ? *made : nullptr;
    }

    /// `tag`: the four letters that key the task's random numbers.
    GeneratedTask(std::string_view tag, int64_t evaluationSequences);

    /// T of the split's batches, whole-split evaluation of training's own kind among them.
    virtual int64_t stepsIn(Split split) const;
    /// The size of training's set; nothing where it has no end.
    virtual std::optional<int64_t> trainingSequences() const { return std::nullopt; }
    /// `number`: which of the split's set; of training without end, how many came before.
    virtual void write(Draft draft, Split split, int64_t number, Random random) const = 0;

    int64_t evaluationSequences() const { return m_evaluationSequences; }
    /// Calls `read` with every batch of the portion.
    void readPortion(const Portion& portion, const std::function<void(const Batch&)>& read) const;
    /// Calls `read` with the random numbers of every sequence of the portion, of tasks whose training has no end.
    void readStreams(const Portion& portion, const std::function<void(Split, Random)>& read) const;
    /// The random numbers of sequence `index` of the fixed set.
    Random fixedStream(Split split, int64_t index) const;
    /// Random numbers of the sets themselves, whatever is drawn from them.
    Random setKeys(int64_t index) const;
    /// Refuses what is not within lowest .. highest, at the parameter of that name.
    static Result<void> within(std::string_view name, int64_t value, int64_t lowest, int64_t highest);
    static Result<void> evaluates(int64_t sequences)
    {
        return within("evaluation_sequences", sequences, 1, kMostSteps);
    }

private:
    Batch blank(Split split, int64_t batchSize) const;
    void writeTrained(Draft draft, uint64_t seed, int64_t place) const;
    void writeFixed(Draft draft, Split split, int64_t index) const;
    Random stream(uint64_t seed, int purpose, int64_t index) const;

    uint64_t m_tag;
    int64_t m_evaluationSequences;
};

} // namespace unroll
