// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/lens/lens.h"
#include "core/model/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// What is read, with what is asked for at each step: a text's tokens, or rows of numbers. It begins from zero states
/// and has no padding.
struct ProbeText {
    std::vector<std::int32_t> tokens;
    std::vector<std::string> characters; ///< a visible label each
    std::vector<float> features;         ///< of data that are numbers: `width` side by side for each step
    std::int64_t width = 0;
    std::vector<float>
        values; ///< likewise, what is right at each step, as the model is to tell it; NaN: nothing is asked
    std::vector<ColumnScale> targets; ///< of the columns of `values`
    std::vector<std::int32_t>
        asked; ///< class that is asked for at each step, kIgnoredTarget: none; empty: of no step it is known
    std::vector<std::string> labels; ///< of these classes; empty where numbers are told
    std::string of;                  ///< what it is, in words: "the validation split (steps 1 to 96)"
    std::string trouble;             ///< why what was requested is not read; empty: it is, or nothing was requested
    /// Tokens of the data on either side, which nothing reads: they tell whether a quotation is open.
    std::vector<std::int32_t> before, behind;
    bool begins = true; ///< nothing lies before these

    std::size_t steps() const { return width > 0 ? features.size() / static_cast<std::size_t>(width) : tokens.size(); }
    /// Leaves out what comes later.
    void cut(std::size_t most);
};

/// What is to be known of data for a text to be read as theirs.
struct TextFacts {
    const Vocabulary& vocabulary;
    std::vector<std::string> labels = {}; ///< as Dataset::labels()
    bool asksNext = false;                ///< as Dataset::asksNext()
};
TextFacts factsOf(const Dataset& data);

/// At most `longest` tokens of `text`; `trouble` says why it cannot be encoded.
ProbeText encodeProbeText(const Vocabulary& vocabulary, const std::string& text, std::size_t longest);

/// `text` encoded, or the start of the validation split when it is empty or cannot be encoded (`trouble` says why); at
/// most `longest` tokens. Of numbers the start of the validation split, whatever the text.
ProbeText makeProbeText(const Dataset& data, const std::string& text, std::size_t longest = kUsualReading);

/// The first `length` of the tokens, of which `of` says what they are.
ProbeText readingOfTokens(const TextFacts& facts, const std::vector<std::int32_t>& tokens, std::int64_t length,
                          std::string of);
/// A text, not empty. An error says which character the alphabet lacks, or that the data are numbers.
Result<ProbeText> encodeReading(const TextFacts& facts, const std::string& text, std::int64_t length);

/// What is requested, or the start of validation where it cannot be read: `trouble` then says why. What a model is to
/// write is none of it: the caller has it written and hands it to readingOfTokens().
ProbeText makeReading(const Dataset& data, const ReadingRequest& request);
/// The same without anything in its place.
Result<ProbeText> readingOf(const Dataset& data, const ReadingRequest& request);

/// The first place from `from` on where the data has the text, as ReadingRequest::at counts; errors: it is nowhere, it
/// cannot be encoded, the data are numbers.
Result<std::int64_t> findText(const Dataset& data, const std::string& text, std::int64_t from = 0);

/// Equal where two readings are the same at every step, whatever the networks are: the labels of texts and classes, the
/// rows of equal data.
std::string readingMark(const ProbeText& text, const Dataset* data);

/// As the model takes it, [T, 1] classes or [T, 1, inputs] numbers; with what is asked for, or without.
ModelInput inputOf(const ProbeText& text, at::Device device, bool withTargets = false);

/// Leaves out what is more than the model takes, and says so.
void cutToModel(ProbeText& text, const Model& model);

/// Runs the model over the probe text, as much of it as the model takes, from zero states, and keeps what is needed.
/// Draws nothing, changes nothing.
ProbeFrame look(Model& model, ProbeText text, const LensNeeds& needs, std::int64_t step);
/// The watched signals alone.
ProbeFrame probe(Model& model, ProbeText text, const std::vector<WatchedSignal>& watched, std::int64_t step);

} // namespace unroll
