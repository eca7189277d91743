// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_set>

namespace unroll {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 4'000'000; ///< a value takes 48 bytes or more, so this bounds memory to some 200 MB

/// Builds a Json from nlohmann's events. The events carry neither places nor the text of integers, so the handler walks
/// along in the text: every token it is told of has been accepted by the lexer, and only blanks, commas and colons lie
/// between two of them.
class TreeBuilder {
public:
    explicit TreeBuilder(std::string_view text) : m_text(text), m_at(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

    bool null() { return scalar(Json(), skipWord()); }
    bool boolean(bool value) { return scalar(Json(value), skipWord()); }
    bool number_integer(std::int64_t) { return number(); }
    bool number_unsigned(std::uint64_t) { return number(); }
    bool number_float(double, const std::string&) { return number(); }
    bool string(std::string& value) { return scalar(Json(std::move(value)), skipString()); }
    bool binary(std::vector<std::uint8_t>&) { return false; } // JSON text has none
    bool start_object(std::size_t) { return open(Json(JsonObject())); }
    bool start_array(std::size_t) { return open(Json(JsonArray())); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name)
    {
        const std::size_t offset = skipString();
        if (!m_open.back().keys.insert(name).second)
            return refuse(offset, fmt::format("the member \"{}\" occurs twice in one object", name));
        m_open.back().key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& fault)
    {
        // The words behind the library's own preamble: "invalid literal; last read: 'nul'".
        const std::string what = fault.what();
        const std::size_t dash = what.find(" - ");
        const bool tooLarge = fault.id == 406;
        const std::string words = tooLarge                    ? "a number is out of range"
                                  : dash == std::string::npos ? what
                                                              : what.substr(dash + 3);
        return refuse(position > 0 ? position - 1 : 0, words);
    }

    Json take() { return std::move(m_root); }
    std::size_t faultOffset() const { return m_faultOffset; }
    const std::string& fault() const { return m_fault; }

private:
    struct Open {
        Json value;
        std::string key; ///< of the member being read; objects only
        std::unordered_set<std::string> keys;
    };

    bool refuse(std::size_t offset, std::string words)
    {
        m_faultOffset = std::min(offset, m_text.size());
        m_fault = std::move(words);
        return false;
    }

    std::size_t tokenStart()
    {
        m_at = std::min(m_text.find_first_not_of(" \t\r\n,:", m_at), m_text.size());
        return m_at;
    }

    std::size_t skipWord()
    {
        const std::size_t start = tokenStart();
        m_at = std::min(m_text.find_first_of(" \t\r\n,:]}", start), m_text.size());
        return start;
    }

    std::size_t skipString()
    {
        const std::size_t start = tokenStart();
        for (m_at = start + 1; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
            if (m_text[m_at] == '\\')
                ++m_at;
        ++m_at;
        return start;
    }

    bool number()
    {
        const std::size_t start = skipWord();
        return scalar(Json::number(std::string(m_text.substr(start, m_at - start))), start);
    }

    bool open(Json value)
    {
        const std::size_t start = tokenStart();
        ++m_at;
        if (m_open.size() == kMaxDepth)
            return refuse(start, fmt::format("nested deeper than {} levels", kMaxDepth));
        value.setOffset(start);
        m_open.push_back({std::move(value), {}, {}});
        return true;
    }

    bool close()
    {
        tokenStart();
        ++m_at;
        Json value = std::move(m_open.back().value);
        m_open.pop_back();
        const std::size_t start = value.offset();
        return place(std::move(value), start);
    }

    bool scalar(Json value, std::size_t start)
    {
        value.setOffset(start);
        return place(std::move(value), start);
    }

    bool place(Json value, std::size_t start)
    {
        if (++m_values > kMaxValues)
            return refuse(start, fmt::format("more than {} values", kMaxValues));
        if (m_open.empty())
            m_root = std::move(value);
        else if (m_open.back().value.asArray() != nullptr)
            m_open.back().value.push(std::move(value));
        else
            m_open.back().value.add(std::move(m_open.back().key), std::move(value));
        return true;
    }

    std::string_view m_text;
    std::size_t m_at;
    std::vector<Open> m_open;
    Json m_root;
    std::size_t m_values = 0;
    std::size_t m_faultOffset = 0;
    std::string m_fault;
};

/// "byte 17 (line 2, column 5)", of one line "byte 17 (column 18)"; both count from one, columns in bytes.
std::string placeText(std::string_view text, std::size_t offset)
{
    if (text.find('\n') == std::string_view::npos)
        return fmt::format("byte {} (column {})", offset, offset + 1);
    const std::string_view before = text.substr(0, offset);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return fmt::format("byte {} (line {}, column {})", offset, line, offset - lineStart + 1);
}

} // namespace

Result<Json> readJson(std::string_view text, const std::string& source)
{
    TreeBuilder builder(text);
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
        return builder.take();
    return fail(fmt::format("not valid JSON at {}: {}", placeText(text, builder.faultOffset()), builder.fault()),
                source);
}

} // namespace unroll
