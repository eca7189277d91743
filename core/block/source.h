// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/home_path.h"
#include "core/base/result.h"
#include "core/graph/value.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace unroll {

class Dataset;
struct LearnedData;

/// What a data block is opened with. Parameters are complete.
struct SourceSetup {
    const Params& params;
    /// Relative paths in parameters are looked up here (the experiment's folder); empty: the working directory.
    std::string folder;
    const LearnedData* learned = nullptr; ///< what a trained model reads data with; null: the data's own
    bool toTrain =
        true; ///< false: to be examined alone, so that a part may be too short to train or validate on, or empty

    std::int64_t integer(const char* name) const { return std::get<std::int64_t>(params.at(name)); }
    double real(const char* name) const { return std::get<double>(params.at(name)); }
    bool boolean(const char* name) const { return std::get<bool>(params.at(name)); }
    const std::string& text(const char* name) const { return std::get<std::string>(params.at(name)); }
    /// A file: empty stays empty, a relative path is meant from the folder.
    std::filesystem::path file(const char* name) const { return pathFrom(folder, text(name)); }
};

using OpenSource = Result<std::shared_ptr<const Dataset>> (*)(const SourceSetup&);

/// How data blocks are opened, by id.
class Sources {
public:
    void addSource(const std::string& id, OpenSource open) { m_sources[id] = open; }
    OpenSource source(const std::string& id) const
    {
        auto found = m_sources.find(id);
        return found == m_sources.end() ? nullptr : found->second;
    }

private:
    std::map<std::string, OpenSource> m_sources;
};

} // namespace unroll
