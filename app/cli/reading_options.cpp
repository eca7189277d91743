// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reading_options.h"

#include "app/cli/option_values.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <limits>

namespace unroll::cli {

void addReadingOptions(CLI::App& verb, ReadingOptions& options)
{
    CLI::Option* text = verb.add_option("--text", options.text, "read this text");
    CLI::Option* at = addWhole(
        verb, "--at", [&options](std::int64_t step) { options.at = step; }, 0, std::numeric_limits<std::int64_t>::max(),
        "read the data from this step on; of a task or labelled data: its sequence of this number (from 0)");
    CLI::Option* find =
        verb.add_option("--find", options.find, "read the data from where this text is; with --at: from there on");
    CLI::Option* sample =
        verb.add_option("--sample", options.sample, "read text sampled from the network after this prompt");
    text->excludes(at)->excludes(find)->excludes(sample);
    sample->excludes(at)->excludes(find);
    addWhole(
        verb, "--length", [&options](std::int64_t steps) { options.length = steps; }, 1, kLongestReading,
        "steps to read; without --text, --at, --find and --sample from the start of validation; of a task: a sequence "
        "of so many")
        ->default_str(std::to_string(kUsualReading));
    addSeed(
        verb, [&options](std::uint64_t seed) { options.seed = seed; }, "random seed of --sample")
        ->default_str("0")
        ->needs(sample);
}

Result<ReadingRequest> readingOf(const ReadingOptions& options, const Inspection& inspection)
{
    ReadingRequest reading{
        .from = ReadingRequest::From::Start, .length = options.length.value_or(0), .seed = options.seed};
    if (options.text && options.text->empty())
        return reading; // as of other verbs
    if (options.text || options.sample) {
        reading.from = options.text ? ReadingRequest::From::Text : ReadingRequest::From::Sample;
        reading.text = options.text ? *options.text : *options.sample;
        reading.length = options.length.value_or(options.text ? kLongestReading : 0);
    } else if (options.find && options.length) { // of a task: in a sequence of that length
        reading.from = ReadingRequest::From::Place;
        reading.text = *options.find;
        reading.at = options.at.value_or(0);
    } else if (options.find) {
        const auto found = inspection.find(*options.find, options.at.value_or(0));
        if (!found)
            return fail(found.error().text(), "--find");
        reading.from = ReadingRequest::From::Place;
        reading.at = *found;
        reading.text = *options.find;
    } else if (options.at) {
        reading.from = ReadingRequest::From::Place;
        reading.at = *options.at;
    }
    return reading;
}

} // namespace unroll::cli
