// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/message.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct pollfd;

namespace unroll {

/// One end of a pipe to another process, or of two. Nothing here waits but wait(). On one thread.
class Channel {
public:
    /// Takes both; they may be the same (a socket).
    Channel(int in, int out);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// To be written as the other side takes it. An error: the message is too large; nothing is sent of it.
    Result<void> send(const Message& message);
    void sendBytes(std::string_view bytes);
    bool hasUnsent() const { return m_out.size() > m_written; }

    /// Writes and reads what can be at once.
    void exchange();
    /// Messages that have come, as MessageReader has them.
    Result<std::optional<Message>> next() { return m_reader.next(); }
    Result<std::optional<std::string>> nextBytes() { return m_reader.nextBytes(); }
    /// What was read and is not a message yet.
    std::string rest() { return m_reader.rest(); }

    /// The other side is gone, or took nothing any more; what came before can still be read.
    bool isClosed() const { return m_closed; }
    std::uint64_t bytesIn() const { return m_bytesIn; }
    void close();

    /// What is to be waited for.
    void addPolls(std::vector<pollfd>& polls) const;
    /// Not: what comes is left in the pipe, so that the other side has to wait.
    void setReads(bool reads) { m_reads = reads; }

private:
    void write();
    void read();

    int m_inFile, m_outFile;
    bool m_closed = false, m_reads = true;
    std::string m_out;
    std::size_t m_written = 0;
    std::uint64_t m_bytesIn = 0;
    MessageReader m_reader;
};

/// Waits until one of the channels has something, or can take what it has, at most so many seconds; `others` are files
/// that may become readable.
void waitFor(const std::vector<const Channel*>& channels, double seconds, const std::vector<int>& others = {});

/// Two ends of one pipe that goes both ways. An error says what the system refused.
Result<std::pair<int, int>> pipePair();
/// Both as channels.
Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> channelPair();

} // namespace unroll
