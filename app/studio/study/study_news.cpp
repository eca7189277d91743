// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_news.h"

#include <fmt/format.h>
#include <utility>

namespace unroll {

namespace {

/// Size and time of a file: another one was written since. Empty: it is not there.
std::string stampOf(const std::filesystem::path& file)
{
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error)
        return {};
    const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
    return fmt::format("{} {} {}", file.string(), bytes, time);
}

} // namespace

StudyNews lookAtStudy(const QString& path, const std::string& stamp)
{
    StudyNews news{path, studyPlace(path.toStdString()), {}, false, false, nullptr};
    if (!news.place)
        return news;
    std::error_code error;
    news.hasFile = std::filesystem::exists(news.place->file, error);
    news.stamp = stampOf(news.place->found);
    news.isNew = news.stamp != stamp;
    if (news.stamp.empty() || !news.isNew)
        return news;
    if (auto results = readStudy(news.place->found))
        news.results = std::make_shared<const StudyResults>(std::move(*results));
    else
        news.results = tl::unexpected(results.error());
    return news;
}

} // namespace unroll
