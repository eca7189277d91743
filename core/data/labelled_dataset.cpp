// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_dataset.h"

#include "core/base/number_text.h"
#include "core/data/permutation.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <set>

namespace unroll {

namespace {

constexpr size_t kLabelsShown = 20; // in a sentence

constexpr int64_t kMostBatchTokens = int64_t{1} << 31;

// Purposes of the streams of random numbers.
constexpr uint64_t kSplitStream = 0x6c61626c'0001, kOrderStream = 0x6c61626c'0002, kMixStream = 0x6c61626c'0003;

std::optional<int64_t> wholeNumber(const std::string& text)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::vector<std::string> inOrder(const std::vector<std::string>& labels)
{
    const std::set<std::string> distinct(labels.begin(), labels.end());
    std::vector<std::string> names(distinct.begin(), distinct.end());
    if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return wholeNumber(name).has_value(); }))
        std::sort(names.begin(), names.end(),
                  [](const std::string& a, const std::string& b) { return *wholeNumber(a) < *wholeNumber(b); });
    return names;
}

/// Another order, which the random numbers draw.
void mix(std::vector<size_t>& sequences, const Random& random)
{
    if (sequences.empty())
        return;
    const Permutation order(random, sequences.size());
    std::vector<size_t> mixed;
    for (size_t i = 0; i < sequences.size(); ++i)
        mixed.push_back(sequences[order(i)]);
    sequences = std::move(mixed);
}

/// Whether the data have such a part of their own.
bool hasOwn(const LabelledSplit& split, Split part)
{
    return std::find(split.parts.begin(), split.parts.end(), part) != split.parts.end();
}

std::string lowered(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

} // namespace

Result<Labels> Labels::of(const std::vector<std::string>& labels, const std::vector<int64_t>& lines,
                          const std::vector<std::string>& known)
{
    Labels result{known.empty() ? inOrder(labels) : known, {}};
    std::map<std::string, int32_t> places;
    for (size_t i = 0; i < result.names.size(); ++i)
        places.emplace(result.names[i], static_cast<int32_t>(i));
    for (size_t i = 0; i < labels.size(); ++i) {
        const auto found = places.find(labels[i]);
        if (found == places.end())
            return fail(fmt::format("line {}: unknown label {}; the model was trained with {}", lines[i], labels[i],
                                    listed(result.names, kLabelsShown)));
        result.classes.push_back(found->second);
    }
    return result;
}

Result<void> LabelledDataset::prepare(Labels labels, std::vector<int64_t> lengths, const LabelledSplit& split)
{
    assert(labels.classes.size() == lengths.size());
    if (labels.classes.empty())
        return fail("no sequence has a label");
    if (labels.names.size() < 2)
        return fail(fmt::format("every sequence has the label {}: there is nothing to learn", labels.names.front()));
    if (labels.names.size() > 65'536)
        return fail(
            fmt::format("there are {} different labels; the limit is 65,536", grouped(std::ssize(labels.names))));
    if (split.toTrain && split.validationFraction + split.testFraction >= 1)
        return fail(
            fmt::format("expected validation_fraction and test_fraction to leave something to train on; got {} and {}",
                        split.validationFraction, split.testFraction),
            "test_fraction");
    if (hasOwn(split, Split::Test) && split.testFraction > 0)
        return fail("the data has a test part of its own: set test_fraction to 0", "test_fraction");
    m_labels = std::move(labels);
    m_lengths = std::move(lengths);
    m_steps = *std::max_element(m_lengths.begin(), m_lengths.end());
    divide(split);
    for (const Split each : {Split::Train, Split::Validation})
        if (split.toTrain && part(each).empty())
            return fail(fmt::format("with {} in total the {} part has none", counted(std::ssize(m_lengths), "sequence"),
                                    each == Split::Train ? "training" : "validation"),
                        "validation_fraction");
    if (split.toTrain)
        noteLabels();
    return {};
}

/// What of the labels may not be what is meant.
void LabelledDataset::noteLabels()
{
    const auto counts = countsIn(part(Split::Train));
    std::vector<std::string> unseen, alike;
    std::map<std::string, std::string> written;
    for (size_t label = 0; label < counts.size(); ++label) {
        const std::string& name = m_labels.names[label];
        if (counts[label] == 0)
            unseen.push_back(name);
        if (const auto [other, fresh] = written.try_emplace(lowered(name), name); !fresh)
            alike.push_back(fmt::format("{} and {}", other->second, name));
    }
    if (!unseen.empty())
        note({"label-unseen",
              fmt::format("No training sequence has the label {}: it cannot be learned.", listed(unseen, kLabelsShown)),
              true});
    if (!alike.empty())
        note({"labels-alike",
              fmt::format("Labels that differ only in case are treated as different: {}.", listed(alike, kLabelsShown)),
              true});
    if (const auto labels = std::ssize(counts); labels * 2 > std::ssize(m_lengths))
        note({"many-labels",
              fmt::format("There are {} labels for {}: if they are not classes, set label_column.", grouped(labels),
                          counted(std::ssize(m_lengths), "sequence")),
              true});
}

namespace {

/// How many of each group are taken so that they are `wanted` in all and shares are alike to one: what is left by
/// rounding down goes to the groups that lack most. A group keeps one as long as others can give.
std::vector<size_t> apportioned(const std::vector<size_t>& sizes, size_t wanted)
{
    const size_t all = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
    std::vector<size_t> taken(sizes.size()), order(sizes.size());
    std::vector<double> lacking(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
        const double share =
            static_cast<double>(sizes[i]) * static_cast<double>(wanted) / static_cast<double>(std::max<size_t>(all, 1));
        taken[i] = std::min(static_cast<size_t>(share), sizes[i] - std::min<size_t>(sizes[i], 1));
        lacking[i] = share - static_cast<double>(taken[i]);
    }
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lacking[a] > lacking[b]; });
    size_t left = std::min(wanted, all) - std::accumulate(taken.begin(), taken.end(), size_t{0});
    for (const size_t kept : {1, 0})
        for (bool gave = true; left > 0 && gave;) {
            gave = false;
            for (const size_t i : order)
                if (left > 0 && taken[i] + kept < sizes[i]) {
                    ++taken[i];
                    --left;
                    gave = true;
                }
        }
    return taken;
}

} // namespace

/// Each label's sequences on their own, or all in their order. A label keeps one sequence to train on as long as it
/// can.
void LabelledDataset::divide(const LabelledSplit& split)
{
    std::vector<std::vector<size_t>> groups(split.byOrder ? 1 : m_labels.names.size());
    size_t own = 0;
    for (size_t i = 0; i < m_lengths.size(); ++i) {
        if (!split.parts.empty() && split.parts[i] != Split::Train) {
            m_parts[static_cast<size_t>(split.parts[i])].push_back(i);
            continue;
        }
        groups[split.byOrder ? 0 : static_cast<size_t>(m_labels.classes[i])].push_back(i);
        ++own;
    }
    std::erase_if(groups, [](const std::vector<size_t>& members) { return members.empty(); });
    std::vector<size_t> sizes;
    for (const std::vector<size_t>& members : groups)
        sizes.push_back(members.size());
    const auto wanted = [&](double fraction) {
        const auto share = static_cast<size_t>(std::llround(static_cast<double>(own) * fraction));
        return fraction > 0 ? std::max<size_t>(share, 1) : 0;
    };
    // The test part is taken first, of whole groups: it does not change with what is validated.
    const std::vector<size_t> tested = apportioned(sizes, wanted(split.testFraction));
    std::vector<size_t> rest = sizes;
    for (size_t i = 0; i < rest.size(); ++i)
        rest[i] -= tested[i];
    const double validation = hasOwn(split, Split::Validation) ? 0 : split.validationFraction;
    const std::vector<size_t> validated = apportioned(rest, wanted(validation));
    for (size_t group = 0; group < groups.size(); ++group) {
        const std::vector<size_t>& members = groups[group];
        const Permutation order(Random(split.seed, kSplitStream, group), members.size());
        for (size_t i = 0; i < members.size(); ++i) {
            const size_t left = members.size() - i; // itself and those behind it
            const Split taken = left <= tested[group]                      ? Split::Test
                                : left <= tested[group] + validated[group] ? Split::Validation
                                                                           : Split::Train;
            m_parts[static_cast<size_t>(taken)].push_back(split.byOrder ? members[i] : members[order(i)]);
        }
    }
    if (!split.byOrder) // the beginning of a part, evaluated on the way, has every label
        for (const Split each : {Split::Train, Split::Validation, Split::Test})
            mix(m_parts[static_cast<size_t>(each)], Random(split.seed, kMixStream, static_cast<uint64_t>(each)));
    m_parts[static_cast<size_t>(Split::All)].resize(m_lengths.size());
    std::iota(m_parts[static_cast<size_t>(Split::All)].begin(), m_parts[static_cast<size_t>(Split::All)].end(),
              size_t{0});
}

Result<void> LabelledDataset::accepts(int64_t batchSize) const
{
    if (batchSize < 1 || batchSize > kMostBatchTokens / m_steps)
        return fail(fmt::format("expected a batch of 1 to {} sequences of {} steps; got {}", kMostBatchTokens / m_steps,
                                m_steps, batchSize),
                    "batch");
    return {};
}

std::vector<int64_t> LabelledDataset::countsIn(const std::vector<size_t>& sequences) const
{
    std::vector<int64_t> counts(m_labels.names.size());
    for (const size_t sequence : sequences)
        ++counts[static_cast<size_t>(classOf(sequence))];
    return counts;
}

std::string LabelledDataset::partsText() const
{
    const auto counts = countsIn(part(Split::All));
    std::vector<std::string> texts;
    for (size_t label = 0; label < counts.size(); ++label)
        texts.push_back(fmt::format("{} {}", m_labels.names[label], grouped(counts[label])));
    const std::string tested =
        has(Split::Test) ? fmt::format(", {} for testing", grouped(std::ssize(part(Split::Test)))) : std::string();
    return fmt::format("{} for training, {} for validation{}; labels: {}", grouped(std::ssize(part(Split::Train))),
                       grouped(std::ssize(part(Split::Validation))), tested, listed(texts, kLabelsShown));
}

std::string LabelledDataset::evaluationText(Split split) const
{
    return fmt::format("{} of {}, each from a state of zeros", grouped(std::ssize(part(split))),
                       counted(std::ssize(m_lengths), "sequence"));
}

Batch LabelledDataset::blank(int64_t batchSize) const
{
    Batch batch;
    batch.steps = m_steps;
    batch.sequences = batchSize;
    const auto cells = static_cast<size_t>(m_steps * batchSize);
    batch.targets.assign(cells, kIgnoredTarget);
    batch.mask.assign(cells, 1);
    batch.fresh.assign(static_cast<size_t>(batchSize), 1);
    if (numbers().inputs > 0)
        batch.features.assign(cells * static_cast<size_t>(numbers().inputs), 0);
    else
        batch.tokens.assign(cells, 0);
    return batch;
}

void LabelledDataset::place(Batch& batch, int64_t b, size_t sequence) const
{
    write(batch, b, sequence);
    const int64_t last = length(sequence) - 1;
    batch.targets[static_cast<size_t>(last * batch.sequences + b)] = classOf(sequence);
    batch.maskFrom(last + 1, b);
}

Batch LabelledDataset::trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const
{
    assert(accepts(batchSize));
    // Other data that a trained model looks at may all be one part.
    const std::vector<size_t>& training = part(has(Split::Train) ? Split::Train : Split::All);
    const auto all = std::ssize(training);
    Batch batch = blank(batchSize);
    for (int64_t b = 0; b < batchSize; ++b) {
        const int64_t number = step * batchSize + b;
        const Permutation order(Random(seed, kOrderStream, static_cast<uint64_t>(number / all)), training.size());
        place(batch, b, training[order(static_cast<uint64_t>(number % all))]);
    }
    return batch;
}

int64_t LabelledDataset::batchesInSplit(Split split, int64_t batchSize) const
{
    return (std::ssize(part(split)) + batchSize - 1) / batchSize;
}

Batch LabelledDataset::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    assert(index >= 0 && index < batchesInSplit(split, batchSize));
    Batch batch = blank(batchSize);
    for (int64_t b = 0; b < batchSize; ++b)
        if (const int64_t number = index * batchSize + b; number < std::ssize(part(split)))
            place(batch, b, part(split)[static_cast<size_t>(number)]);
        else
            batch.maskFrom(0, b);
    return batch;
}

std::optional<int64_t> LabelledDataset::tokensIn(Split split) const
{
    return std::accumulate(part(split).begin(), part(split).end(), int64_t{0},
                           [&](int64_t sum, size_t sequence) { return sum + length(sequence); });
}

/// A label that training lacks has no share; half a sequence stands for it, so that the loss is a number.
std::optional<Baseline> LabelledDataset::baseline(const Portion& portion) const
{
    const std::vector<size_t>& whole = part(portion.split);
    const int64_t most = portion.batches > 0 ? portion.batches * portion.batchSize : std::ssize(whole);
    const std::vector<size_t> asked(whole.begin(), whole.begin() + std::min(most, std::ssize(whole)));
    const auto training = countsIn(part(Split::Train)), right = countsIn(asked);
    const auto share = [](int64_t count) { return std::max(static_cast<double>(count), 0.5); };
    const double all = std::accumulate(training.begin(), training.end(), 0.0,
                                       [&](double sum, int64_t count) { return sum + share(count); });
    double loss = 0;
    for (size_t label = 0; label < training.size(); ++label)
        loss -= static_cast<double>(right[label]) * std::log(share(training[label]) / all);
    const auto usual = static_cast<size_t>(std::max_element(training.begin(), training.end()) - training.begin());
    const auto sequences = static_cast<double>(asked.size());
    return Baseline{loss / sequences, "nats/sequence", "training label frequencies",
                    static_cast<double>(right[usual]) / sequences,
                    fmt::format("always predicting {}", m_labels.names[usual])};
}

} // namespace unroll
