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

/// The path of something in a file, such as ARCHIVE.zip/FOLDER/ENTRY.
struct PathInFile {
    std::filesystem::path file;
    std::string inside; ///< "FOLDER/ENTRY"; empty: the path is one of the file system, there or not
};
PathInFile pathInFile(const std::filesystem::path& path);

} // namespace unroll
