// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/inspection.h"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace unroll::cli {

/// What is to be read, as the command line says it.
struct ReadingOptions {
    std::optional<std::string> text, find, sample;
    std::optional<std::int64_t> at;
    std::optional<std::int64_t> length; ///< nothing: the usual ones, of a given text all of it
    std::uint64_t seed = 0;

    /// Whether nothing is said but which text, if any.
    bool plain() const { return !at && !find && !sample && !length; }
    /// Whether the run's data has to be open: InspectionOptions::needsData. A lens may need it all the same.
    bool needsData() const { return (!text || text->empty()) && !sample; }
};

/// --text, --at, --find, --length, --sample, --seed.
void addReadingOptions(CLI::App& verb, ReadingOptions& options);

/// The error names the option: two that exclude each other, a text that is not found.
Result<ReadingRequest> readingOf(const ReadingOptions& options, const Inspection& inspection);

} // namespace unroll::cli
