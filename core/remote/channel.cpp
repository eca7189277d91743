// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/channel.h"

#include "core/base/reason.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace unroll {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr int kMostPieces = 64; ///< read at once

void makeNonBlocking(int file)
{
    if (const int flags = fcntl(file, F_GETFL); flags >= 0)
        fcntl(file, F_SETFL, flags | O_NONBLOCK);
}

/// A pipe whose reader is gone is an error and no signal, also in a program that does not ignore SIGPIPE.
ssize_t writeSome(int file, const char* bytes, std::size_t count)
{
#ifdef MSG_NOSIGNAL
    const ssize_t sent = ::send(file, bytes, count, MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK)
        return sent;
#endif
    return ::write(file, bytes, count);
}

bool isPassing(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

} // namespace

Channel::Channel(int in, int out) : m_inFile(in), m_outFile(out)
{
    makeNonBlocking(m_inFile);
    makeNonBlocking(m_outFile);
}

Channel::~Channel()
{
    close();
}

void Channel::close()
{
    m_closed = true;
    if (m_inFile >= 0)
        ::close(m_inFile);
    if (m_outFile >= 0 && m_outFile != m_inFile)
        ::close(m_outFile);
    m_inFile = m_outFile = -1;
}

Result<void> Channel::send(const Message& message)
{
    const auto bytes = messageBytes(message);
    if (!bytes)
        return tl::unexpected(bytes.error());
    sendBytes(*bytes);
    return {};
}

void Channel::sendBytes(std::string_view bytes)
{
    if (m_closed)
        return;
    if (m_written > m_out.size() / 2) {
        m_out.erase(0, m_written);
        m_written = 0;
    }
    m_out += bytes;
}

void Channel::exchange()
{
    write();
    if (m_reads)
        read();
}

void Channel::write()
{
    while (m_outFile >= 0 && !m_closed && hasUnsent()) {
        const ssize_t sent = writeSome(m_outFile, m_out.data() + m_written, m_out.size() - m_written);
        if (sent < 0 && isPassing(errno))
            return;
        if (sent < 0) {
            m_closed = true;
            return;
        }
        m_written += static_cast<std::size_t>(sent);
    }
    if (!hasUnsent()) {
        m_out.clear();
        m_written = 0;
    }
}

void Channel::read()
{
    std::array<char, kPieceBytes> piece;
    for (int i = 0; i < kMostPieces && m_inFile >= 0; ++i) {
        const ssize_t count = ::read(m_inFile, piece.data(), piece.size());
        if (count < 0 && isPassing(errno))
            return;
        if (count <= 0) {
            m_closed = true;
            return;
        }
        m_bytesIn += static_cast<std::uint64_t>(count);
        m_reader.add({piece.data(), static_cast<std::size_t>(count)});
    }
}

void Channel::addPolls(std::vector<pollfd>& polls) const
{
    if (m_closed)
        return;
    if (m_reads)
        polls.push_back({m_inFile, POLLIN, 0});
    if (hasUnsent())
        polls.push_back({m_outFile, POLLOUT, 0});
}

void waitFor(const std::vector<const Channel*>& channels, double seconds, const std::vector<int>& others)
{
    std::vector<pollfd> polls;
    for (const Channel* channel : channels)
        if (channel != nullptr)
            channel->addPolls(polls);
    for (const int file : others)
        if (file >= 0)
            polls.push_back({file, POLLIN, 0});
    const double milliseconds = std::clamp(std::ceil(seconds * 1000), 0.0, 3600e3);
    (void)::poll(polls.data(), static_cast<nfds_t>(polls.size()), static_cast<int>(milliseconds));
}

Result<std::pair<int, int>> pipePair()
{
    int files[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0)
        return fail("a pipe cannot be made: " + reasonOf(errno));
    return std::pair(files[0], files[1]);
}

Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> channelPair()
{
    const auto files = pipePair();
    if (!files)
        return tl::unexpected(files.error());
    return std::pair(std::make_unique<Channel>(files->first, files->first),
                     std::make_unique<Channel>(files->second, files->second));
}

} // namespace unroll
