// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/features/features.h"

#include "core/base/utf8.h"
#include "core/data/features/feature_list.h"
#include "core/data/labelled_text.h"
#include "core/data/text_dataset.h"

#include <algorithm>
#include <map>

namespace unroll {

int64_t askedSteps(const std::vector<ReadSequence>& sequences)
{
    int64_t steps = 0;
    for (const ReadSequence& sequence : sequences)
        steps += sequence.to - sequence.from;
    return steps;
}

std::vector<ReadSequence> joined(const Dataset& data, std::vector<ReadSequence> sequences)
{
    if (dynamic_cast<const TextDataset*>(&data) == nullptr || data.carriesState() || sequences.empty())
        return sequences;
    ReadSequence all = std::move(sequences.front());
    all.begins = false; // the split lies within a text
    for (size_t i = 1; i < sequences.size(); ++i) {
        const ReadSequence& next = sequences[i];
        all.tokens.insert(all.tokens.end(), next.tokens.begin(), next.tokens.end());
        all.targets.insert(all.targets.end(), next.targets.begin(), next.targets.end());
        all.steps += next.steps;
    }
    all.to = all.steps;
    return {std::move(all)};
}

void FeatureList::add(std::string id, std::string name, std::string when, const Make& make)
{
    Feature feature{std::move(id), std::move(name), std::move(when), {}};
    feature.values.reserve(static_cast<size_t>(askedSteps(m_sequences)));
    for (const ReadSequence& sequence : m_sequences) {
        std::vector<float> all = make(sequence);
        all.resize(static_cast<size_t>(sequence.steps), kUnknownFeature);
        feature.values.insert(feature.values.end(), all.begin() + sequence.from, all.begin() + sequence.to);
    }
    m_features.push_back(std::move(feature));
}

void FeatureList::addAt(std::string id, std::string name, std::string when, const At& at)
{
    add(std::move(id), std::move(name), std::move(when), [&at](const ReadSequence& sequence) {
        std::vector<float> values;
        for (int64_t t = 0; t < sequence.steps; ++t)
            values.push_back(at(sequence, t));
        return values;
    });
}

bool readsText(const Dataset& data)
{
    return dynamic_cast<const TextDataset*>(&data) != nullptr || dynamic_cast<const LabelledText*>(&data) != nullptr;
}

std::vector<char32_t> charactersOf(const Dataset& data, const std::vector<int32_t>& tokens)
{
    std::map<int32_t, char32_t> known;
    std::vector<char32_t> characters;
    for (const int32_t token : tokens) {
        const auto [place, isNew] = known.try_emplace(token, kReplacementCharacter);
        if (isNew)
            if (const std::string text = data.written({token}, false); !text.empty())
                place->second = decodeUtf8(text, 0).point;
        characters.push_back(place->second);
    }
    return characters;
}

std::vector<int32_t> frequentClasses(const std::vector<ReadSequence>& sequences, std::vector<int32_t> ReadSequence::*of,
                                     std::size_t most)
{
    std::map<int32_t, int64_t> counts;
    for (const ReadSequence& sequence : sequences)
        for (int64_t t = sequence.from; t < std::min(sequence.to, std::ssize(sequence.*of)); ++t)
            if (const int32_t found = (sequence.*of)[static_cast<size_t>(t)]; found >= 0)
                ++counts[found];
    std::vector<int32_t> classes;
    for (const auto& [found, count] : counts)
        classes.push_back(found);
    std::stable_sort(classes.begin(), classes.end(), [&](int32_t a, int32_t b) { return counts[a] > counts[b]; });
    classes.resize(std::min(classes.size(), most));
    std::sort(classes.begin(), classes.end());
    return classes;
}

std::vector<Feature> featuresOf(const Dataset& data, const std::vector<ReadSequence>& sequences)
{
    FeatureList list(sequences);
    addFableFeatures(list, data);
    addTextFeatures(list, data);
    addTaskFeatures(list, data);
    addFormalFeatures(list, data);
    addClassFeatures(list, data);
    addNumberFeatures(list, data);
    std::vector<Feature> features = list.take();
    if (features.size() > kMostFeatures)
        features.resize(kMostFeatures);
    return features;
}

} // namespace unroll
