// SPDX-License-Identifier: GPL-3.0-or-later
// Every gallery experiment can run as it stands, and its file is written the way the studio would save it.
#include "core/block/registry.h"
#include "core/train/experiment.h"
#include "core/train/gallery.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace unroll {
namespace {

std::string contents(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

TEST(Gallery, EveryExperimentRunsAndIsInCanonicalForm)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(galleryFolder())) {
        auto experiment = loadExperiment(entry.path().string());
        ASSERT_TRUE(experiment) << experiment.error().text();
        const CheckedGraph checked = checkExperiment(*experiment, registry, cache);
        for (const Diagnostic& diagnostic : checked.diagnostics)
            ADD_FAILURE() << entry.path() << ": " << diagnostic.sentence;
        EXPECT_FALSE(experiment->title.empty());
        EXPECT_GT(experiment->summary.size(), 40u) << "says what to look at";
        if (std::getenv("UNROLL_REWRITE_GALLERY") != nullptr) {
            ASSERT_TRUE(saveExperiment(*experiment, entry.path().string()));
        }
        EXPECT_EQ(contents(entry.path()), experimentToText(*experiment)) << "set UNROLL_REWRITE_GALLERY to mend it";
        ++seen;
    }
    EXPECT_GE(seen, 5);
}

} // namespace
} // namespace unroll
