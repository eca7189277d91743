// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace unroll {

/// What goes through a pipe between two processes of ours: a JSON object, and raw bytes that it tells of
/// (number_blocks.h).
struct Message {
    Json head;
    std::string body = {};

    std::string kind() const; ///< the member "kind"; empty: there is none
};

/// Of the protocol: what the messages say, and how they are framed. Both sides must have the same.
inline constexpr std::uint16_t kMessageVersion = 1;
inline constexpr std::uint32_t kMostHeadBytes = 80U << 20;
inline constexpr std::uint64_t kMostBodyBytes = std::uint64_t{1} << 30;

/// "UNROLL", version (u16), bytes of the head (u32), bytes of the body (u64), head, body; little-endian. The first
/// eight bytes are the same in every version. An error: it is larger than the limits.
Result<std::string> messageBytes(const Message& message, std::uint16_t version = kMessageVersion);

/// Messages out of bytes that come in pieces. What is claimed takes no memory before it has come. After an error there
/// is nothing more to be read: every call gives it again.
class MessageReader {
public:
    void add(std::string_view bytes);

    /// The next message that is whole. Nothing: more bytes are needed. Errors: the bytes are not a message (they are
    /// quoted), another version, too large, a head that is not JSON object.
    Result<std::optional<Message>> next();
    /// Its bytes as they came, head unread.
    Result<std::optional<std::string>> nextBytes();
    /// Whether a message has started and is not whole.
    bool isInside() const { return m_bytes.size() > m_at; }
    /// What has come and was not read.
    std::string rest();

private:
    struct Sizes {
        std::uint32_t head = 0;
        std::uint64_t body = 0;
        std::size_t all() const;
    };
    Result<std::optional<Sizes>> sizes();
    void forgetRead();

    std::string m_bytes;
    std::size_t m_at = 0;     ///< bytes before were read
    std::uint64_t m_gone = 0; ///< bytes that were read and dropped
    std::optional<Error> m_failure;
};

} // namespace unroll
