// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace unroll {

/// "~/x" and "~user/x" with the home folder in their place, where no shell has written it out; everything else, and
/// users nobody knows, as it is.
std::string withHome(const std::string& path);

/// The file that a path names which stands in a file of `folder`: a relative one is meant from there, an absolute one
/// and a home folder are not. Empty stays empty.
std::filesystem::path pathFrom(const std::filesystem::path& folder, const std::string& path);

} // namespace unroll
