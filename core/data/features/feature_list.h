// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/features/features.h"

#include <functional>
#include <limits>

namespace unroll {

inline constexpr float kUnknownFeature = std::numeric_limits<float>::quiet_NaN();

/// Features of one sequence after the other: each is given for all steps of a sequence, and what is asked about is
/// kept.
class FeatureList {
public:
    explicit FeatureList(const std::vector<ReadSequence>& sequences) : m_sequences(sequences) {}

    /// Values of all steps of a sequence; fewer: the rest is not known.
    using Make = std::function<std::vector<float>(const ReadSequence&)>;
    /// The value at one step.
    using At = std::function<float(const ReadSequence&, int64_t step)>;

    void add(std::string id, std::string name, std::string when, const Make& make);
    void addAt(std::string id, std::string name, std::string when, const At& at);

    const std::vector<ReadSequence>& sequences() const { return m_sequences; }
    std::vector<Feature> take() { return std::move(m_features); }

private:
    const std::vector<ReadSequence>& m_sequences;
    std::vector<Feature> m_features;
};

/// Features of each kind of data; those that do not apply are not added.
void addTextFeatures(FeatureList& list, const Dataset& data);
void addFableFeatures(FeatureList& list, const Dataset& data);
void addTaskFeatures(FeatureList& list, const Dataset& data);
void addFormalFeatures(FeatureList& list, const Dataset& data);
void addClassFeatures(FeatureList& list, const Dataset& data);
void addNumberFeatures(FeatureList& list, const Dataset& data);

/// Whether the tokens are characters or bytes of a text.
bool readsText(const Dataset& data);
/// Of each token; bytes that are not ASCII stand for themselves as U+FFFD.
std::vector<char32_t> charactersOf(const Dataset& data, const std::vector<int32_t>& tokens);
/// The most frequent classes, by their index, at most `most` of them. `of`: tokens or targets of the steps that are
/// asked about.
std::vector<int32_t> frequentClasses(const std::vector<ReadSequence>& sequences, std::vector<int32_t> ReadSequence::*of,
                                     std::size_t most);

} // namespace unroll
