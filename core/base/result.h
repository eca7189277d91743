// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace unroll {

/// Why something could not be done, in words a user reads. `place` says where: a file with offset, a node, a setting;
/// may be empty.
struct Error {
    std::string message;
    std::string place;

    bool operator==(const Error&) const = default;

    /// "place: message", or the message alone.
    std::string text() const { return place.empty() ? message : place + ": " + message; }
};

/// For what may fail through no fault of the program: files, builds. Mistakes in a graph are Diagnostics instead.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, std::string place = {})
{
    return tl::unexpected<Error>(Error{std::move(message), std::move(place)});
}

} // namespace unroll
