// SPDX-License-Identifier: GPL-3.0-or-later
// What the header of c10d's ProcessGroupGloo needs of gloo: the wheel of torch has gloo's code, not its headers. These
// declarations are read by core/group/gloo_backend.cpp alone, which refuses to compile with another torch.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gloo {
namespace transport {
class Device;
class UnboundBuffer {
public:
    virtual ~UnboundBuffer();
};
} // namespace transport

class Context {
public:
    void setTimeout(std::chrono::milliseconds timeout);
};

namespace rendezvous {
class Store {
public:
    virtual ~Store() = default;
    virtual void set(const std::string& key, const std::vector<char>& data) = 0;
    virtual std::vector<char> get(const std::string& key) = 0;
    virtual void wait(const std::vector<std::string>& keys) = 0;
    virtual void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) = 0;
};
} // namespace rendezvous
} // namespace gloo
