// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace unroll {

/// Members of an object of a file that people may edit. The first that is missing or of another kind is told in
/// `fault` as "<of><key> must be a number"; readers of objects inside share it. Object and fault must outlive the
/// reader.
class FieldReader {
public:
    FieldReader(const Json& object, std::string of, std::string& fault)
        : m_object(object), m_of(std::move(of)), m_fault(fault)
    {}

    std::string text(const char* key);
    std::int64_t whole(const char* key);
    double real(const char* key);
    const JsonArray& array(const char* key);

    bool has(const char* key) const; ///< there and not null
    /// Nothing where the member is missing or null.
    std::optional<std::int64_t> maybeWhole(const char* key);
    std::optional<double> maybeReal(const char* key);
    std::string maybeText(const char* key);
    bool flag(const char* key); ///< missing: false

    void blame(const char* key, const char* wanted);

private:
    const Json& m_object;
    std::string m_of;
    std::string& m_fault;
};

} // namespace unroll
