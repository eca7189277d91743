// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/record_objects.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace unroll {

namespace {

using Object = nlohmann::ordered_json;

/// A value as a text; null as none.
std::string textOf(const Object& value)
{
    if (value.is_null())
        return {};
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Object::error_handler_t::replace);
}

bool isSteps(const Object& value)
{
    const auto isEntry = [](const Object& entry) { return entry.is_number() || entry.is_null() || entry.is_array(); };
    return value.is_array() && std::all_of(value.begin(), value.end(), isEntry);
}

class ObjectReader {
public:
    ObjectReader(RecordKind kind, Records& records) : m_kind(kind), m_records(records) {}

    Result<void> take(const Object& object, int64_t line);
    void finish();

private:
    struct Track {
        size_t column;
        const Object* list;
        std::optional<size_t> place; // in the entries, which are lists themselves
    };
    size_t columnOf(const std::string& key);
    static void put(Records::Row& row, size_t column, std::string text);
    Result<std::vector<Track>> tracksOf(const Object& object, int64_t line);
    void takeSteps(const Object& object, const std::vector<Track>& tracks, size_t steps, int64_t line);

    RecordKind m_kind;
    Records& m_records;
    std::unordered_map<std::string, size_t> m_columns;
    int64_t m_plain = 0, m_listed = 0; // lines of the first object without lists, and with some
    int64_t m_empty = 0, m_firstEmpty = 0;
};

size_t ObjectReader::columnOf(const std::string& key)
{
    const auto [found, fresh] = m_columns.try_emplace(key, m_records.names.size());
    if (fresh)
        m_records.names.push_back(key);
    return found->second;
}

void ObjectReader::put(Records::Row& row, size_t column, std::string text)
{
    row.cells.resize(std::max(row.cells.size(), column + 1));
    row.cells[column] = std::move(text);
}

/// The columns that have an entry for each step. Error: lists of numbers and of lists in one.
Result<std::vector<ObjectReader::Track>> ObjectReader::tracksOf(const Object& object, int64_t line)
{
    std::vector<Track> tracks;
    for (const auto& [key, value] : object.items()) {
        if (m_kind != RecordKind::Numbers || !isSteps(value))
            continue;
        const size_t width = value.empty() || !value.front().is_array() ? 0 : value.front().size();
        for (const Object& entry : value)
            if (entry.is_array() != (width > 0) || (width > 0 && entry.size() != width) ||
                (width > 0 && !std::all_of(entry.begin(), entry.end(), [](const Object& number) {
                     return number.is_number() || number.is_null();
                 })))
                return fail(
                    fmt::format("line {}: the entries of {} must all be numbers, or lists of equal length", line, key),
                    m_records.name);
        if (width == 0)
            tracks.push_back({columnOf(key), &value, {}});
        for (size_t i = 0; i < width; ++i)
            tracks.push_back({columnOf(fmt::format("{}.{}", key, i + 1)), &value, i});
    }
    return tracks;
}

/// A row for each entry of the lists.
void ObjectReader::takeSteps(const Object& object, const std::vector<Track>& tracks, size_t steps, int64_t line)
{
    Records::Row same{{}, line};
    for (const auto& [key, value] : object.items())
        if (!isSteps(value))
            put(same, columnOf(key), textOf(value));
    put(same, *m_records.series, std::to_string(line));
    for (size_t t = 0; t < steps; ++t) {
        Records::Row row = same;
        for (const Track& track : tracks) {
            const Object& entry = (*track.list)[t];
            put(row, track.column, textOf(track.place ? entry[*track.place] : entry));
        }
        m_records.rows.push_back(std::move(row));
    }
}

Result<void> ObjectReader::take(const Object& object, int64_t line)
{
    const auto tracks = tracksOf(object, line);
    if (!tracks)
        return tl::unexpected(tracks.error());
    int64_t& first = tracks->empty() ? m_plain : m_listed;
    first = first == 0 ? line : first;
    if (m_plain > 0 && m_listed > 0)
        return fail(
            fmt::format("the object in line {} has a list of numbers, and that in line {} has none", m_listed, m_plain),
            m_records.name);
    if (tracks->empty()) {
        Records::Row row{{}, line};
        for (const auto& [key, value] : object.items())
            put(row, columnOf(key), textOf(value));
        m_records.rows.push_back(std::move(row));
        return {};
    }
    if (!m_records.series)
        m_records.series = columnOf("(line)");
    const size_t steps = tracks->front().list->size();
    for (const Track& track : *tracks)
        if (track.list->size() != steps)
            return fail(fmt::format("line {}: {} has {} and {} has {}; lists of one series must have equal length",
                                    line, m_records.names[tracks->front().column],
                                    counted(static_cast<int64_t>(steps), "step"), m_records.names[track.column],
                                    track.list->size()),
                        m_records.name);
    if (steps == 0)
        m_firstEmpty = m_empty++ == 0 ? line : m_firstEmpty;
    takeSteps(object, *tracks, steps, line);
    return {};
}

void ObjectReader::finish()
{
    for (Records::Row& row : m_records.rows) {
        row.given = m_records.names.size();
        row.cells.resize(m_records.names.size());
    }
    if (m_empty > 0)
        m_records.notes.emplace_back("empty-series",
                                     fmt::format("{} without steps, the first in line {}: left out.",
                                                 m_empty == 1 ? "One series is" : grouped(m_empty) + " series are",
                                                 grouped(m_firstEmpty)),
                                     true);
}

} // namespace

Result<void> readObjects(std::string_view text, RecordKind kind, Records& records)
{
    ObjectReader reader(kind, records);
    int64_t line = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view object = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (object.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        const auto json = Object::parse(object, nullptr, false);
        if (!json.is_object())
            return fail(
                fmt::format("line {} is not a JSON object; a file that starts with a brace must have one on each line",
                            line),
                records.name);
        if (auto taken = reader.take(json, line); !taken)
            return taken;
    }
    reader.finish();
    return {};
}

bool isJsonList(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '[' && text[last] == ']' && Object::accept(text);
}

} // namespace unroll
