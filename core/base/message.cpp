// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/message.h"

#include "core/base/number_text.h"
#include "core/base/visible.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace unroll {

namespace {

constexpr std::string_view kMagic = "UNROLL";
constexpr std::size_t kFixedBytes = 8;   ///< magic and version
constexpr std::size_t kHeaderBytes = 20; ///< with both sizes
constexpr std::size_t kQuotedBytes = 60;

template <class Value>
Value numberAt(std::string_view bytes, std::size_t at)
{
    Value value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

template <class Value>
void appendNumber(std::string& bytes, Value value)
{
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

/// One line of what came in place of a message.
std::string quotedBytes(std::string_view bytes)
{
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    return visibleText(line.substr(0, kQuotedBytes)) + (line.size() > kQuotedBytes ? "..." : "");
}

} // namespace

std::string Message::kind() const
{
    const Json* kind = head.find("kind");
    return kind != nullptr && kind->asString() != nullptr ? *kind->asString() : std::string();
}

Result<std::string> messageBytes(const Message& message, std::uint16_t version)
{
    const std::string head = writeJson(message.head, 0);
    if (head.size() > kMostHeadBytes || message.body.size() > kMostBodyBytes)
        return fail(fmt::format("a message of {} and {} is larger than a message may be ({} and {})",
                                sizeText(head.size()), sizeText(message.body.size()), sizeText(kMostHeadBytes),
                                sizeText(kMostBodyBytes)),
                    message.kind());
    std::string bytes;
    bytes.reserve(kHeaderBytes + head.size() + message.body.size());
    bytes += kMagic;
    appendNumber(bytes, version);
    appendNumber(bytes, static_cast<std::uint32_t>(head.size()));
    appendNumber(bytes, std::uint64_t{message.body.size()});
    bytes += head;
    bytes += message.body;
    return bytes;
}

std::size_t MessageReader::Sizes::all() const
{
    return kHeaderBytes + head + static_cast<std::size_t>(body);
}

void MessageReader::add(std::string_view bytes)
{
    forgetRead();
    m_bytes += bytes;
}

/// Once half of what is held was read, so that many small messages are not moved again and again.
void MessageReader::forgetRead()
{
    if (m_at < m_bytes.size() / 2 || m_at == 0)
        return;
    m_gone += m_at;
    m_bytes.erase(0, std::exchange(m_at, 0));
}

/// Of the message that begins at m_at, once its header is there.
Result<std::optional<MessageReader::Sizes>> MessageReader::sizes()
{
    if (m_failure)
        return tl::unexpected(*m_failure);
    const auto broken = [this](std::string sentence) {
        m_failure = Error{std::move(sentence), fmt::format("byte {}", m_gone + m_at)};
        return tl::unexpected(*m_failure);
    };
    const std::string_view bytes = std::string_view(m_bytes).substr(m_at);
    const std::size_t known = std::min(bytes.size(), kMagic.size());
    if (bytes.substr(0, known) != kMagic.substr(0, known))
        return broken(fmt::format("a message of Unroll was expected, but received: {}", quotedBytes(bytes)));
    if (bytes.size() < kFixedBytes)
        return std::nullopt;
    if (const auto version = numberAt<std::uint16_t>(bytes, kMagic.size()); version != kMessageVersion)
        return broken(fmt::format("the other side speaks version {} of the protocol and this one version {}: the same "
                                  "version of Unroll is needed on both",
                                  version, kMessageVersion));
    if (bytes.size() < kHeaderBytes)
        return std::nullopt;
    const Sizes sizes{numberAt<std::uint32_t>(bytes, 8), numberAt<std::uint64_t>(bytes, 12)};
    if (sizes.head > kMostHeadBytes || sizes.body > kMostBodyBytes)
        return broken(fmt::format("a message says that it has {} and {}; at most {} and {} are taken",
                                  sizeText(sizes.head), sizeText(sizes.body), sizeText(kMostHeadBytes),
                                  sizeText(kMostBodyBytes)));
    return sizes;
}

Result<std::optional<Message>> MessageReader::next()
{
    const auto sizes = this->sizes();
    if (!sizes)
        return tl::unexpected(sizes.error());
    if (!*sizes || m_bytes.size() - m_at < (*sizes)->all())
        return std::nullopt;
    const std::string_view bytes = std::string_view(m_bytes).substr(m_at, (*sizes)->all());
    auto head = readJson(bytes.substr(kHeaderBytes, (*sizes)->head), "a message");
    if (!head || head->asObject() == nullptr) {
        m_failure =
            Error{head ? "the head of a message is not an object" : "a message is broken: " + head.error().text(),
                  fmt::format("byte {}", m_gone + m_at)};
        return tl::unexpected(*m_failure);
    }
    Message message{std::move(*head), std::string(bytes.substr(kHeaderBytes + (*sizes)->head))};
    m_at += (*sizes)->all();
    return message;
}

Result<std::optional<std::string>> MessageReader::nextBytes()
{
    const auto sizes = this->sizes();
    if (!sizes)
        return tl::unexpected(sizes.error());
    if (!*sizes || m_bytes.size() - m_at < (*sizes)->all())
        return std::nullopt;
    std::string bytes = m_bytes.substr(m_at, (*sizes)->all());
    m_at += bytes.size();
    return bytes;
}

std::string MessageReader::rest()
{
    m_gone += m_bytes.size();
    std::string rest = m_bytes.substr(m_at);
    m_bytes.clear();
    m_at = 0;
    return rest;
}

} // namespace unroll
