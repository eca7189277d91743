// SPDX-License-Identifier: GPL-3.0-or-later
// What can be said of any data that are classes or have labels, and of any columns of numbers.
#include "core/data/features/feature_list.h"
#include "core/data/labelled_dataset.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr std::size_t kMostIndicators = 16;
constexpr int64_t kMostColumns = 12;
constexpr int64_t kMeanSteps = 8; ///< of the moving mean

void addIndicators(FeatureList& list, const std::vector<std::string>& labels)
{
    for (const int32_t token : frequentClasses(list.sequences(), &ReadSequence::tokens, kMostIndicators)) {
        const std::string& label = labels.at(static_cast<size_t>(token));
        list.addAt("token_" + label, "the token " + label, "at " + label, [token](const ReadSequence& read, int64_t t) {
            return read.tokens[static_cast<size_t>(t)] == token ? 1.0f : 0.0f;
        });
    }
}

/// Of the whole sequence, which has one label, asked for at its end.
void addLabels(FeatureList& list, const std::vector<std::string>& labels)
{
    for (const int32_t label : frequentClasses(list.sequences(), &ReadSequence::targets, kMostIndicators)) {
        const std::string& name = labels.at(static_cast<size_t>(label));
        list.add("label_" + name, "the label " + name, "in sequences labelled " + name,
                 [label](const ReadSequence& read) {
                     const auto asked = std::find_if(read.targets.begin(), read.targets.end(),
                                                     [](int32_t target) { return target != kIgnoredTarget; });
                     const float value = asked == read.targets.end() ? kUnknownFeature : *asked == label ? 1.0f : 0.0f;
                     return std::vector<float>(static_cast<size_t>(read.steps), value);
                 });
    }
}

std::string columnName(const std::vector<ColumnScale>& scales, int64_t column, const char* kind)
{
    if (column < std::ssize(scales) && !scales[static_cast<size_t>(column)].name.empty())
        return scales[static_cast<size_t>(column)].name;
    return fmt::format("{} {}", kind, column + 1);
}

/// The number itself, the one before it, and the mean of the last few.
void addInput(FeatureList& list, int64_t column, int64_t columns, const std::string& name)
{
    const auto at = [=](const ReadSequence& read, int64_t t) {
        return t < 0 ? kUnknownFeature : read.features[static_cast<size_t>(t * columns + column)];
    };
    list.addAt("input_" + name, name, "", at);
    list.addAt("lag_" + name, name + " one step before", "",
               [at](const ReadSequence& read, int64_t t) { return at(read, t - 1); });
    list.addAt("mean_" + name, fmt::format("the mean of {} over {} steps", name, kMeanSteps), "",
               [at](const ReadSequence& read, int64_t t) {
                   float sum = 0;
                   for (int64_t back = 0; back < kMeanSteps; ++back)
                       sum += at(read, t - back);
                   return sum / static_cast<float>(kMeanSteps);
               });
}

} // namespace

void addClassFeatures(FeatureList& list, const Dataset& data)
{
    const bool labelled = dynamic_cast<const LabelledDataset*>(&data) != nullptr;
    if (labelled)
        addLabels(list, data.labels());
    if (data.classes() > 0 && !readsText(data))
        addIndicators(list, data.alphabet());
    if (!data.carriesState() && !readsText(data))
        list.addAt("place", "the place in the sequence", "",
                   [](const ReadSequence&, int64_t t) { return static_cast<float>(t); });
}

void addNumberFeatures(FeatureList& list, const Dataset& data)
{
    const NumberFacts facts = data.numbers();
    const SeriesScales scales = data.scales();
    for (int64_t column = 0; column < std::min(facts.inputs, kMostColumns); ++column)
        addInput(list, column, facts.inputs, columnName(scales.inputs, column, "input"));
    for (int64_t column = 0; column < std::min(facts.targets, kMostColumns); ++column) {
        const bool isNamed =
            column < std::ssize(scales.targets) && !scales.targets[static_cast<size_t>(column)].name.empty();
        const std::string name = columnName(scales.targets, column, "target");
        const std::string words = isNamed ? "the target " + name : facts.targets == 1 ? "the target" : name;
        list.addAt("target_" + name, words, "", [=](const ReadSequence& read, int64_t t) {
            return read.values.empty() ? kUnknownFeature : read.values[static_cast<size_t>(t * facts.targets + column)];
        });
    }
}

} // namespace unroll
