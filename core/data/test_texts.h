// SPDX-License-Identifier: GPL-3.0-or-later
// Files of texts and archives, for the tests that read them.
#pragma once

#include "core/data/text_dataset.h"
#include "core/format/zip_writer.h"
#include "tests/support/test_folder.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace unroll::testing_texts {

/// A folder whose prepared tokens lie in it, too.
class TextFiles : public testing::Test {
protected:
    TextFiles() { ::setenv("UNROLL_PREPARED", (m_folder / "prepared").c_str(), 1); }
    ~TextFiles() override { ::unsetenv("UNROLL_PREPARED"); }

    std::filesystem::path write(const std::string& name, const std::string& bytes) const
    {
        std::filesystem::create_directories((m_folder / name).parent_path());
        writeContent(m_folder / name, bytes);
        return m_folder / name;
    }
    std::filesystem::path zip(const std::string& name, const std::vector<std::pair<std::string, std::string>>& entries)
    {
        auto file = format::AtomicFile::create(m_folder / name).value();
        format::ZipWriter writer(file);
        for (const auto& [entry, text] : entries)
            EXPECT_TRUE(writer.add(entry, {text}));
        EXPECT_TRUE(writer.finish());
        EXPECT_TRUE(file.commit());
        return m_folder / name;
    }

    TestFolder m_folder;
};

inline std::shared_ptr<const TextDataset> opened(const TextOptions& options)
{
    auto data = TextDataset::open(options);
    EXPECT_TRUE(data) << (data ? "" : data.error().text());
    return data.value_or(nullptr);
}

inline std::string refused(const TextOptions& options)
{
    const auto data = TextDataset::open(options);
    return data ? "accepted" : data.error().text();
}

} // namespace unroll::testing_texts
