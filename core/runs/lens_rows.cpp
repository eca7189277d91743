// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/lens_rows.h"

#include "core/format/atomic_file.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace unroll {

Result<void> LensRows::resume(const std::filesystem::path& run, std::int64_t step)
{
    m_file.reset();
    std::error_code none;
    if (!std::filesystem::exists(file(run), none))
        return {};
    auto opened = format::JsonlWriter::resume(file(run), step);
    if (!opened)
        return tl::unexpected(opened.error());
    m_file.emplace(std::move(*opened));
    return {};
}

Result<void> LensRows::add(const std::filesystem::path& run, const format::LogRow& row)
{
    if (!m_file) {
        auto opened = format::JsonlWriter::create(file(run));
        if (!opened)
            return tl::unexpected(opened.error());
        m_file.emplace(std::move(*opened));
    }
    return m_file->write({&row, 1});
}

Result<void> LensRows::replace(const std::filesystem::path& run, std::span<const format::LogRow> rows)
{
    std::string text;
    std::int64_t last = 0;
    for (const format::LogRow& row : rows) {
        text += format::jsonOf(row) + "\n";
        last = std::max(last, row.step);
    }
    if (auto replaced = format::writeFileAtomically(file(run), text); !replaced)
        return replaced;
    return resume(run, last);
}

Result<void> LensRows::sync()
{
    return m_file ? m_file->sync() : Result<void>();
}

Result<std::vector<format::LogRow>> LensRows::read(const std::filesystem::path& run)
{
    std::vector<format::LogRow> rows;
    std::error_code none;
    if (!std::filesystem::exists(file(run), none))
        return rows;
    const auto read = format::readJsonlRows(file(run), [&rows](format::LogRow row) { rows.push_back(std::move(row)); });
    if (!read)
        return tl::unexpected(read.error());
    return rows;
}

} // namespace unroll
