// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll {

/// The Python whose torch this process has loaded, so one that surely runs an exported model.py; empty where torch lies
/// in no Python.
std::string pythonBesideTorch();

} // namespace unroll
