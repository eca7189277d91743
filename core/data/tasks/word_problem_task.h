// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/tasks/finite_group.h"
#include "core/data/tasks/generated_task.h"
#include "core/data/tasks/numbered_words.h"

#include <memory>
#include <vector>

namespace unroll {

struct WordProblemOptions {
    enum class Shorter { None, Two, All }; // which lengths training has besides its own

    std::string group = "s3";       // as FiniteGroup::named
    int64_t length = 32;            // elements of a training sequence
    int64_t validationLength = 128; // and of a validation sequence
    int64_t evaluationSequences = 1000;
    bool swapsOnly = false;     // of permutations: what exchanges two things, and the identity
    int64_t repeat = 1;         // how often each element is written; its product is asked for at the last
    bool specialTokens = false; // seven signs more; each sequence begins with one
    bool heldOut = false;       // a fifth of all sequences is never trained on, and validation draws from that fifth
    Shorter shorter = Shorter::None;
    int64_t trainingSequences = 0; // of full length, no two alike and none of them in validation; 0: drawn without end
};

/// The word problem of a group: elements are read one by one, and each step asks for the product of all so far, y_t =
/// y_{t-1} x_t from the identity. In the form of Merrill, Petty, Sabharwal 2024 ("The Illusion of State in State-Space
/// Models", arXiv:2404.08819), whose files have the special tokens, hold a fifth out, train on shorter sequences too
/// and hold none twice; swaps and repetition as in Siems et al. 2025 (DeltaProduct, arXiv:2502.10297).
class WordProblemTask final : public GeneratedTask {
public:
    static Result<std::shared_ptr<const WordProblemTask>> create(const WordProblemOptions& options);

    int64_t classes() const override;
    int64_t steps() const override { return stepsIn(Split::Train); }
    bool has(Split split) const override;
    std::optional<Baseline> baseline(const Portion& portion) const override; // ln of the order
    std::string describe() const override;
    std::vector<std::string> alphabet() const override;
    std::string contentHash() const override;
    std::shared_ptr<const GeneratedTask> ofLength(int64_t steps) const override;

private:
    struct Word {
        int64_t length; // steps
        std::vector<int64_t> elements;
    };
    struct Part { // of training's set: the sequences of one length
        int64_t length;
        int64_t end; // of their numbers
    };

    WordProblemTask(const WordProblemOptions& options, FiniteGroup group);
    static Result<void> checkSwaps(const WordProblemOptions& options);
    Result<void> checkHeldOut() const;
    Result<void> checkSet() const;
    int64_t leftForTraining(int64_t length) const;
    void countSet();

    int64_t stepsIn(Split split) const override;
    std::optional<int64_t> trainingSequences() const override;
    void write(Draft draft, Split split, int64_t number, Random random) const override;
    Word wordOf(Split split, int64_t number, Random random) const;
    Word numbered(Split split, int64_t number, Random random) const;
    int64_t lengthOf(Split split, Random& random) const;
    std::vector<int64_t> draw(int64_t count, Split split, Random& random) const;
    NumberedWords words(int64_t length) const;

    WordProblemOptions m_options;
    FiniteGroup m_group;
    std::vector<int64_t> m_elements; // that sequences are made of
    std::vector<Part> m_parts;       // of training's set; none where it has no end
};

} // namespace unroll
