// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_survey.h"

#include "core/data/text_encoding.h"
#include "core/data/text_parts.h"
#include "core/data/text_scan.h"

#include <fmt/format.h>
#include <utility>

namespace unroll {

namespace {

/// What one reading finds: sentences, and of the training text what was found.
Result<ScannedText> survey(const TextPart& part, std::vector<DataNote>& notes)
{
    auto scanned = scanText(part.stream.get(), TextUnit::Character);
    if (!scanned || !part.stream)
        return scanned;
    if (auto good = checkScanned(*scanned, part.name, TextUnit::Character); !good)
        return tl::unexpected(good.error());
    for (std::string& sentence : scanned->report.sentences(part.name, TextUnit::Piece))
        notes.emplace_back(std::move(sentence));
    if (const std::string what = noTextButWhat(scanned->head); !what.empty())
        notes.emplace_back("no-text", fmt::format("{} {}.", part.name, what), true);
    return scanned;
}

void addPublished(const PublishedText& published, const ScannedText& scanned, TextSurvey& survey)
{
    const PublishedCheck check = comparePublished(published, static_cast<uint64_t>(scanned.report.bytes), scanned.hash);
    survey.notes.emplace_back("published", check.sentence, !check.same);
    if (published.validation > 0)
        survey.bytes = divided(scanned.report.bytes, published.validation, published.test);
}

} // namespace

Result<std::optional<TextSurvey>> surveyText(const std::filesystem::path& file, const std::string& field)
{
    auto parts = textParts(file, {}, TextSplit::Published);
    if (!parts)
        return std::optional<TextSurvey>();
    TextSurvey found{.records = isJsonLines(parts->text.name)};
    if (!field.empty() && !found.records)
        return fail(
            fmt::format("has no field {}: only JSON Lines (.jsonl, .ndjson, .json) and Parquet have fields", field),
            parts->text.name);
    if (found.records)
        parts = textParts(file, field.empty() ? "text" : field, TextSplit::Published);
    if (!parts)
        return tl::unexpected(parts.error());
    found.notes = std::move(parts->notes);
    for (const TextPart* part : {&parts->text, &parts->validation, &parts->test}) {
        const auto scanned = survey(*part, found.notes);
        if (!scanned)
            return tl::unexpected(scanned.error());
        if (part == &parts->text && parts->published != nullptr)
            addPublished(*parts->published, *scanned, found);
    }
    return std::optional(std::move(found));
}

} // namespace unroll
