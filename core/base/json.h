// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace unroll {

class Json;
struct JsonMember;
using JsonArray = std::vector<Json>;
using JsonObject = std::vector<JsonMember>; ///< in file order; keys unique (the reader refuses duplicates)

/// A JSON value that keeps what it was read from: member order, the exact text of numbers, and its byte offset in the
/// file.
class Json {
public:
    struct Number {
        std::string text; ///< as written: 1e-3 stays 1e-3
        bool operator==(const Number&) const = default;
    };
    using Value = std::variant<std::nullptr_t, bool, Number, std::string, JsonArray, JsonObject>;

    // All out of line: JsonMember, which the variant's vector holds, is complete only below.
    Json();
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(const Json& other);
    Json& operator=(Json&& other) noexcept;
    ~Json();

    Json(bool value);
    Json(std::int64_t value);
    Json(std::uint64_t value);
    Json(int value);
    /// Shortest text that reads back equal, always with . or e; NaN and infinities are strings "NaN", "Infinity",
    /// "-Infinity".
    Json(double value);
    Json(std::string value);
    Json(const char* value);
    Json(JsonArray value);
    Json(JsonObject value);
    static Json number(std::string text);

    bool isNull() const;
    const bool* asBool() const;
    const std::string* asString() const;
    const JsonArray* asArray() const;
    const JsonObject* asObject() const;
    bool isNumber() const;
    std::optional<std::int64_t> asInt() const;       ///< exact: nothing for 1.5, 1e3 or out of range
    std::optional<std::uint64_t> asUnsigned() const; ///< exact, likewise
    std::optional<double> asReal() const;            ///< any finite number
    const Json* find(std::string_view key) const;    ///< a member of an object; nullptr else

    /// Byte offset of the value's first character; 0 when made in memory.
    std::size_t offset() const { return m_offset; }
    void setOffset(std::size_t offset) { m_offset = offset; }
    /// Appends a member to an object (a null value becomes an object first).
    void add(std::string key, Json value);
    void push(Json value); ///< appends to an array (a null value becomes an array first)

    /// "an object", "a number", ... as in sentences: "nodes must be an array; it is a number".
    const char* kind() const;
    const Value& value() const { return m_value; }

    bool operator==(const Json& other) const; ///< ignores offsets

private:
    Value m_value; // null at first
    std::size_t m_offset = 0;
};

struct JsonMember {
    std::string key;
    Json value;
    bool operator==(const JsonMember&) const = default;
};

/// Reads one JSON document: depth <= 64, no duplicate keys, valid UTF-8, no NaN, nothing behind the value. Errors name
/// the byte offset, line and column. `source` is the file's name for the error's place.
Result<Json> readJson(std::string_view text, const std::string& source);

/// Objects of objects go one member a line, arrays of anything but numbers and words one element a line, small values
/// in one line up to `width` columns; width 0 writes everything in one line. Ends without a newline. Bytes that are no
/// UTF-8 become U+FFFD.
std::string writeJson(const Json& value, int width = 120);

} // namespace unroll
