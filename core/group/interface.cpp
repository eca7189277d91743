// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>

namespace unroll {

namespace {

bool isLoopback(const sockaddr& address)
{
    if (address.sa_family == AF_INET)
        return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr) != 0;
}

std::string numeric(const sockaddr& address, socklen_t size)
{
    std::array<char, NI_MAXHOST> text{};
    return getnameinfo(&address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

struct Socket {
    sockaddr_storage address{};
    socklen_t size = 0;
};

/// This machine's end of the way to another: connecting by UDP looks the way up and sends nothing.
std::optional<Socket> endOfWay(const addrinfo& there)
{
    const int end = socket(there.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end < 0)
        return std::nullopt;
    Socket here{.size = sizeof(sockaddr_storage)};
    const bool found = connect(end, there.ai_addr, there.ai_addrlen) == 0 &&
                       getsockname(end, reinterpret_cast<sockaddr*>(&here.address), &here.size) == 0;
    close(end);
    return found ? std::optional(here) : std::nullopt;
}

std::optional<Socket> endOfWay(const RankPlace& place, int family)
{
    addrinfo wish{}, *found = nullptr;
    wish.ai_family = family;
    wish.ai_socktype = SOCK_DGRAM;
    if (getaddrinfo(place.address.c_str(), std::to_string(place.port).c_str(), &wish, &found) != 0)
        return std::nullopt;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> held(found, freeaddrinfo);
    for (const addrinfo* there = found; there != nullptr; there = there->ai_next)
        if (auto here = endOfWay(*there))
            return here;
    return std::nullopt;
}

std::string firstOtherInterface()
{
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0)
        return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> held(all, freeifaddrs);
    constexpr unsigned int kUsed = IFF_UP | IFF_RUNNING;
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next)
        if (each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET && (each->ifa_flags & kUsed) == kUsed &&
            !isLoopback(*each->ifa_addr))
            return numeric(*each->ifa_addr, sizeof(sockaddr_in));
    return {};
}

} // namespace

std::string addressForOthers(const RankPlace& place)
{
    if (place.meeting || place.localSize == place.size)
        return {};
    for (const int family : {AF_INET, AF_INET6}) // in this order on all machines, where a name has both
        if (const auto here = endOfWay(place, family)) {
            const auto& address = reinterpret_cast<const sockaddr&>(here->address);
            return isLoopback(address) ? firstOtherInterface() : numeric(address, here->size);
        }
    return {};
}

} // namespace unroll
