// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <string_view>

namespace unroll {

/// A fresh folder for one test, with a blank and a letter outside ASCII in its name, removed at the end.
class TestFolder {
public:
    enum class In {
        Temporary,
        Memory, ///< for tests that write thousands of files; the same as Temporary where there is no /dev/shm
    };

    explicit TestFolder(In in = In::Temporary)
    {
        std::error_code error;
        const bool memory = in == In::Memory && std::filesystem::is_directory("/dev/shm", error);
        const auto parent = memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
        std::string pattern = (parent / ("unroll fünf-" + std::string(6, 'X'))).string(); // mkdtemp fills in the end
        if (::mkdtemp(pattern.data()) == nullptr)
            ADD_FAILURE() << "cannot make " << pattern;
        m_path = pattern;
    }
    ~TestFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path operator/(std::string_view name) const { return m_path / name; }

    std::size_t entries() const
    {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(m_path), {}));
    }

private:
    std::filesystem::path m_path;
};

inline std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeContent(const std::filesystem::path& path, std::string_view bytes)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace unroll
