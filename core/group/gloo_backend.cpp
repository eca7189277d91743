// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that includes the header of ProcessGroupGloo, which takes 12 s and 0.9 GB to compile: with the
// declarations of gloo in shim/, compiled by itself.
#define USE_C10D_GLOO
#include "core/group/backend.h"
#include "core/group/interface.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/version.h>

#include <cstdlib>
#include <string>

static_assert(TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 11,
              "shim/gloo declares what ProcessGroupGloo.hpp of torch 2.11 needs: compare it with the new header");

namespace unroll {

BackendPointer glooBackend(const StorePointer& store, const RankPlace& place, std::chrono::milliseconds timeout)
{
    using Gloo = c10d::ProcessGroupGloo;
    auto options = Gloo::Options::create_default(timeout);
    if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface != nullptr && *interface != '\0')
        options->devices = {Gloo::createDeviceForInterface(interface)};
    else if (const std::string address = addressForOthers(place); !address.empty())
        options->devices = {Gloo::createDeviceForHostname(address)};
    return c10::make_intrusive<Gloo>(store, static_cast<int>(place.rank), static_cast<int>(place.size), options);
}

} // namespace unroll
