// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/jsonl.h"

#include "core/base/input_file.h"
#include "core/base/json.h"
#include "core/base/quoted_json.h"
#include "core/format/atomic_file.h"
#include "core/format/number_text.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace unroll::format {
namespace {

constexpr std::string_view kLineStart = R"({"step":)";

std::optional<std::int64_t> stepOf(std::string_view line)
{
    if (!line.starts_with(kLineStart))
        return std::nullopt;
    std::int64_t step = 0;
    const auto parsed = std::from_chars(line.data() + kLineStart.size(), line.data() + line.size(), step);
    return parsed.ec == std::errc() ? std::optional(step) : std::nullopt;
}

std::string linesUpTo(std::string_view text, std::int64_t lastStep)
{
    std::string kept;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const auto step = stepOf(text.substr(0, end));
        if (!step || *step <= lastStep)
            kept += text.substr(0, end + 1);
        text.remove_prefix(end + 1);
    }
    return kept;
}

/// A number, or the word that stands for one that is not finite.
std::optional<double> numberOf(const Json& value)
{
    if (const auto* const word = value.asString()) {
        if (*word == "NaN")
            return std::numeric_limits<double>::quiet_NaN();
        if (*word == "Infinity" || *word == "-Infinity")
            return (word->front() == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
        return std::nullopt;
    }
    return value.asReal();
}

std::optional<LogRow> rowOf(std::string_view line)
{
    const auto step = stepOf(line);
    const auto json = step ? readJson(line, "a line") : Result<Json>(fail("no row"));
    const JsonObject* const members = json ? json->asObject() : nullptr;
    if (members == nullptr)
        return std::nullopt;
    LogRow row{*step, {}};
    for (std::size_t i = 1; i < members->size(); ++i)
        if (const auto number = numberOf((*members)[i].value))
            row.values.emplace_back((*members)[i].key, *number);
    return row;
}

} // namespace

JsonlWriter::JsonlWriter(AppendFile file) : m_file(std::move(file)) {}

Result<JsonlWriter> JsonlWriter::create(const std::filesystem::path& path, FileCalls& calls)
{
    auto file = AppendFile::open(path, AppendFile::Start::Replace, calls);
    if (!file)
        return tl::unexpected(file.error());
    return JsonlWriter(std::move(*file));
}

Result<JsonlWriter> JsonlWriter::resume(const std::filesystem::path& path, std::int64_t lastStep, FileCalls& calls)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return create(path, calls);
    const auto text = readWholeFile(path);
    if (!text)
        return tl::unexpected(text.error());
    const std::string kept = linesUpTo(*text, lastStep);
    if (kept != *text)
        if (auto replaced = writeFileAtomically(path, kept, calls); !replaced)
            return tl::unexpected(replaced.error());
    auto file = AppendFile::open(path, AppendFile::Start::Continue, calls);
    if (!file)
        return tl::unexpected(file.error());
    return JsonlWriter(std::move(*file));
}

Result<void> readJsonlRows(const std::filesystem::path& path, const std::function<void(LogRow)>& take)
{
    const auto text = readWholeFile(path);
    if (!text)
        return tl::unexpected(text.error());
    std::string_view rest = *text;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        if (auto row = rowOf(rest.substr(0, end)))
            take(std::move(*row));
        rest.remove_prefix(end + 1);
    }
    return {};
}

Result<void> JsonlWriter::write(std::span<const LogRow> rows)
{
    std::string lines;
    for (const LogRow& row : rows)
        lines += jsonOf(row) + '\n';
    return m_file.append(lines);
}

std::string jsonOf(const LogRow& row)
{
    std::string line = std::string(kLineStart) + std::to_string(row.step);
    for (const auto& [name, value] : row.values) {
        line += ',';
        line += quotedJson(name);
        line += ':';
        const std::string_view quote = std::isfinite(value) ? "" : "\"";
        line += quote;
        appendNumber(line, value);
        line += quote;
    }
    return line + '}';
}

} // namespace unroll::format
