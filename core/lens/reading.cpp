// SPDX-License-Identifier: GPL-3.0-or-later
// What is read: requests, and how they become a ProbeText.
#include "core/lens/probe.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/tasks/generated_task.h"
#include "core/data/word_vocabulary.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr std::int64_t kMost = kLongestReading;

std::vector<std::string> labelsOf(const std::vector<std::int32_t>& tokens, const std::vector<std::string>& alphabet)
{
    std::vector<std::string> labels;
    for (const std::int32_t token : tokens)
        labels.push_back(alphabet[static_cast<std::size_t>(token)]);
    return labels;
}

/// Of the classes that are told; none where numbers are.
std::vector<std::string> toldLabels(const TextFacts& facts)
{
    return facts.labels.empty() ? facts.vocabulary.alphabet() : facts.labels;
}

/// A batch of one sequence without padding.
ProbeText textOf(const Dataset& data, Batch batch, std::string of)
{
    ProbeText text;
    text.tokens = std::move(batch.tokens);
    text.characters = labelsOf(text.tokens, data.alphabet());
    text.width = data.numbers().inputs;
    text.features = std::move(batch.features);
    text.targets = data.scales().targets;
    text.values = std::move(batch.values);
    if (text.targets.empty()) // of a task: numbers as they are
        for (std::int64_t i = 0; i < data.numbers().targets; ++i)
            text.targets.push_back({data.numbers().targets == 1 ? "target" : fmt::format("target {}", i + 1)});
    text.asked = std::move(batch.targets);
    if (text.values.empty())
        text.labels = toldLabels(factsOf(data));
    text.of = std::move(of);
    return text;
}

/// Small data that a model looks at alone may be one part.
Split validationOf(const Dataset& data)
{
    return data.has(Split::Validation) ? Split::Validation : Split::All;
}

const char* nameOf(Split split)
{
    return split == Split::All ? "data" : "validation split";
}

/// Adds what lies about a stretch in its text.
void addSurroundings(ProbeText& text, const Dataset& data, Split split, std::int64_t at)
{
    constexpr std::int64_t kAbout = 2048; // tokens on either side
    std::int64_t from = std::max<std::int64_t>(at - kAbout, 0);
    text.begins = split == Split::All && from == 0;
    while (from < at) {
        text.before = data.stretch(split, from, at - from + 1).tokens;
        if (std::ssize(text.before) > at - from) { // it goes on where the stretch begins
            text.before.pop_back();
            break;
        }
        from += std::ssize(text.before); // a text ends on the way
        text.before.clear();
        text.begins = true;
    }
    text.behind = data.stretch(split, at + std::ssize(text.tokens) - 1, kAbout + 1).tokens;
    text.behind.erase(text.behind.begin()); // the stretch's last
}

ProbeText stretchOf(const Dataset& data, Split split, std::int64_t at, std::int64_t length)
{
    Batch batch = data.stretch(split, at, length);
    std::string of = fmt::format("the {} (steps {} to {})", nameOf(split), grouped(at + 1), grouped(at + batch.steps));
    ProbeText text = textOf(data, std::move(batch), std::move(of));
    if (!text.tokens.empty())
        addSurroundings(text, data, split, at);
    return text;
}

/// Whether the data are sequences without end that are made as they are read.
bool isTask(const Dataset& data)
{
    return !data.hasOrder() && data.labels().empty();
}

ProbeText sequenceOf(const Dataset& data, Split split, std::int64_t number)
{
    Batch batch = data.stretch(split, number, kMost + 1);
    const std::string which =
        fmt::format("sequence {} of {} of the {}", grouped(number + 1), grouped(data.places(split)), nameOf(split));
    const bool isLonger = batch.steps > kMost;
    ProbeText text =
        textOf(data, std::move(batch), isLonger ? fmt::format("the first {} steps of {}", kMost, which) : which);
    text.cut(static_cast<std::size_t>(kMost));
    return text;
}

/// Which step or sequence is asked for; errors: the data have not the text, or no such place.
Result<std::int64_t> placeIn(const Dataset& data, Split split, const ReadingRequest& request)
{
    if (request.from == ReadingRequest::From::Start)
        return 0;
    std::int64_t at = request.at;
    if (!request.text.empty()) {
        const auto first = findText(data, request.text, request.at);
        if (!first)
            return tl::unexpected(first.error());
        at = *first;
        for (std::int64_t i = 0; i < request.further; ++i) // behind the last place comes the first again
            at = findText(data, request.text, at + 1).value_or(*first);
    }
    const std::string unit = data.hasOrder() ? "step" : "sequence";
    if (at < 0 || at >= data.places(split))
        return fail(fmt::format("there is no {} {}: the {} has {}", unit, grouped(at + 1), nameOf(split),
                                counted(data.places(split), unit)));
    return at;
}

/// A task's sequence of the length that is asked for, or of the nearest that its form has; where it has none, one of
/// its own.
Result<ProbeText> sizedSequence(const Dataset& data, const ReadingRequest& request)
{
    const auto* task = dynamic_cast<const GeneratedTask*>(&data);
    const auto sized = task != nullptr ? task->ofLength(request.steps()) : nullptr;
    const Dataset& read = sized ? *sized : data;
    const Split split = validationOf(read);
    const auto number = placeIn(read, split, request);
    if (!number)
        return fail(sized
                        ? fmt::format("of sequences of {}: {}", counted(request.steps(), "step"), number.error().text())
                        : number.error().text());
    ProbeText text = sequenceOf(read, split, *number);
    const auto steps = static_cast<std::int64_t>(text.steps());
    if (sized)
        text.of = fmt::format("sequence {} of {} like those of validation, of {}", grouped(*number + 1),
                              grouped(read.places(split)), counted(steps, "step"));
    if (steps != request.steps())
        text.of += fmt::format(" ({} asked for; this task has none of that length)",
                               request.steps() == 1 ? "1 step was" : grouped(request.steps()) + " steps were");
    return text;
}

/// From a place of the data, or from the start of validation.
Result<ProbeText> dataReading(const Dataset& data, const ReadingRequest& request)
{
    const bool isStart = request.from == ReadingRequest::From::Start;
    if (isTask(data) && request.length > 0)
        return sizedSequence(data, request);
    const Split split = isStart || isTask(data) ? validationOf(data) : Split::All;
    const auto at = placeIn(data, split, request);
    if (!at)
        return tl::unexpected(at.error());
    return data.hasOrder() ? stretchOf(data, split, *at, request.steps()) : sequenceOf(data, split, *at);
}

} // namespace

void ProbeText::cut(std::size_t most)
{
    if (most < tokens.size())
        behind.insert(behind.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(most), tokens.end());
    const auto keep = [](auto& list, std::size_t count) { list.resize(std::min(list.size(), count)); };
    keep(tokens, most);
    keep(characters, most);
    keep(asked, most);
    keep(features, most * static_cast<std::size_t>(width));
    keep(values, most * targets.size());
}

TextFacts factsOf(const Dataset& data)
{
    return {data, data.labels(), data.asksNext()};
}

ProbeText encodeProbeText(const Vocabulary& vocabulary, const std::string& text, std::size_t longest)
{
    ProbeText probe;
    auto encoded = vocabulary.encode(text);
    if (encoded)
        probe.tokens = std::move(*encoded);
    else
        probe.trouble = encoded.error().text();
    probe.cut(longest);
    probe.characters = labelsOf(probe.tokens, vocabulary.alphabet());
    return probe;
}

ProbeText readingOfTokens(const TextFacts& facts, const std::vector<std::int32_t>& tokens, std::int64_t length,
                          std::string of)
{
    ProbeText text;
    text.tokens = tokens;
    text.labels = toldLabels(facts);
    if (facts.asksNext && !tokens.empty()) {
        text.asked.assign(tokens.begin() + 1, tokens.end());
        text.asked.push_back(kIgnoredTarget);
    }
    text.cut(static_cast<std::size_t>(std::clamp<std::int64_t>(length, 1, kMost)));
    text.characters = labelsOf(text.tokens, facts.vocabulary.alphabet());
    text.of = std::move(of);
    return text;
}

Result<ProbeText> encodeReading(const TextFacts& facts, const std::string& text, std::int64_t length)
{
    if (facts.vocabulary.classes() == 0)
        return fail("the data are numbers, not text");
    auto tokens = facts.vocabulary.encode(text);
    if (!tokens)
        return tl::unexpected(tokens.error());
    if (tokens->empty())
        return fail("there is no character in the text");
    const std::int64_t most = std::clamp<std::int64_t>(length, 1, kMost);
    const std::string unknown = unknownText(facts.vocabulary, text);
    std::string of = std::ssize(*tokens) > most ? fmt::format("the first {} of the given text", counted(most, "step"))
                                                : "the given text";
    if (!unknown.empty())
        of += fmt::format(" ({})", unknown);
    return readingOfTokens(facts, *tokens, length, std::move(of));
}

Result<ProbeText> readingOf(const Dataset& data, const ReadingRequest& request)
{
    switch (request.from) {
    case ReadingRequest::From::Text: return encodeReading(factsOf(data), request.text, request.steps());
    case ReadingRequest::From::Sample: return fail("no model writes the text");
    case ReadingRequest::From::Start:
    case ReadingRequest::From::Place: break;
    }
    return dataReading(data, request);
}

ProbeText makeReading(const Dataset& data, const ReadingRequest& request)
{
    auto text = readingOf(data, request);
    if (text)
        return std::move(*text);
    ProbeText start = dataReading(data, {.length = request.length}).value();
    start.trouble = text.error().text();
    return start;
}

ProbeText makeProbeText(const Dataset& data, const std::string& text, std::size_t longest)
{
    ReadingRequest request = readingOfText(text);
    request.length = longest == kUsualReading ? 0 : static_cast<std::int64_t>(longest);
    const auto encoded = data.encode(text);
    if (encoded && encoded->empty()) // nothing but a byte order mark is not text
        request.from = ReadingRequest::From::Start;
    return makeReading(data, request);
}

Result<std::int64_t> findText(const Dataset& data, const std::string& text, std::int64_t from)
{
    if (data.classes() == 0)
        return fail("the data are numbers, not text");
    const auto wanted = encodeExactly(data, text);
    if (!wanted)
        return tl::unexpected(wanted.error());
    if (wanted->empty())
        return fail("there is no character to look for");
    const Split split = isTask(data) ? validationOf(data) : Split::All;
    constexpr std::int64_t kPiece = 65'536; // steps
    const auto needed = std::ssize(*wanted);
    for (std::int64_t at = std::max<std::int64_t>(from, 0); at < data.places(split);) {
        const std::vector<std::int32_t> tokens = data.stretch(split, at, kPiece + needed - 1).tokens;
        const auto found = std::search(tokens.begin(), tokens.end(), wanted->begin(), wanted->end());
        if (found != tokens.end())
            return data.hasOrder() ? at + (found - tokens.begin()) : at;
        const bool isEnd = std::ssize(tokens) < kPiece + needed - 1;
        at += !data.hasOrder() ? 1 : isEnd ? std::ssize(tokens) : kPiece;
    }
    return fail(
        fmt::format("the {} does not have this text{}", nameOf(split),
                    from > 0 ? fmt::format(" from {} {} on", data.hasOrder() ? "step" : "sequence", grouped(from + 1))
                             : std::string()));
}

std::string readingMark(const ProbeText& text, const Dataset* data)
{
    Sha256 mark;
    for (const std::string& label : text.characters) {
        mark.add(label);
        mark.add(std::string_view("\0", 1));
    }
    if (text.characters.empty()) // numbers, scaled as each network learned it: which rows, of which data
        mark.add(fmt::format("{} {} {}", text.of, text.steps(), data != nullptr ? data->contentHash() : std::string()));
    return mark.hex();
}

} // namespace unroll
