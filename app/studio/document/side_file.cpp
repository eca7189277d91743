// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/side_file.h"

#include "app/studio/document/file_identity.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>
#include <algorithm>

namespace unroll {

namespace {

/// The member that a side file has and no other experiment.
constexpr const char* kOriginKey = "autosave_of";

struct Content {
    Experiment experiment;
    QString file;
};

QString placeBeside(const QString& file)
{
    const QFileInfo info(file);
    return info.dir().filePath("." + info.fileName() + ".autosave");
}

std::string textOf(const Json& object, const char* key)
{
    const Json* member = object.find(key);
    const std::string* text = member != nullptr ? member->asString() : nullptr;
    return text != nullptr ? *text : std::string();
}

Result<Content> readContent(const QString& path)
{
    auto loaded = loadExperiment(path.toStdString());
    if (!loaded)
        return tl::unexpected(loaded.error());
    auto& extra = loaded->extra;
    const auto origin =
        std::find_if(extra.begin(), extra.end(), [](const JsonMember& each) { return each.key == kOriginKey; });
    if (origin == extra.end())
        return fail("this file contains no unsaved changes", path.toStdString());
    const Json of = origin->value;
    extra.erase(origin);
    loaded->folder = textOf(of, "folder");
    return Content{std::move(*loaded), QString::fromStdString(textOf(of, "file"))};
}

QStringList filesIn(const QString& folder)
{
    QStringList found;
    for (const QFileInfo& entry : QDir(folder).entryInfoList({"*.unroll"}, QDir::Files))
        found << entry.absoluteFilePath();
    return found;
}

} // namespace

SideFile::SideFile(QString path, QString file)
    : m_path(std::move(path)), m_file(std::move(file)), m_lock(m_path + ".lock")
{
    m_lock.setStaleLockTime(0); // only the end of the process frees it, not its age
}

std::shared_ptr<SideFile> SideFile::claim(const QString& file, const QString& folder)
{
    const QString of = file.isEmpty() ? QString() : realPath(file);
    QStringList places;
    if (!of.isEmpty())
        places << placeBeside(of);
    if (QDir().mkpath(folder))
        places << QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) + ".unroll");
    for (const QString& place : places) {
        std::shared_ptr<SideFile> side(new SideFile(place, of));
        if (!QFileInfo::exists(place) && side->hold())
            return side;
    }
    return nullptr;
}

std::vector<std::shared_ptr<SideFile>> SideFile::abandoned(const QString& file, const QString& folder)
{
    if (folder.isEmpty())
        return {};
    const QString of = file.isEmpty() ? QString() : realPath(file);
    const QString beside = of.isEmpty() ? QString() : placeBeside(of);
    QStringList places = filesIn(folder);
    if (!of.isEmpty() && QFileInfo::exists(beside))
        places << beside;
    std::vector<Place> wanted;
    for (const QString& place : places)
        if (const auto content = readContent(place); content && (place == beside || content->file == of))
            wanted.push_back({place, of}); // the one beside it may have moved along with it
    return held(wanted);
}

std::vector<std::shared_ptr<SideFile>> SideFile::allAbandoned(const QStringList& files, const QString& folder)
{
    if (folder.isEmpty())
        return {};
    std::vector<Place> wanted;
    for (const QString& file : files)
        if (const QString of = realPath(file); QFileInfo::exists(placeBeside(of)) && readContent(placeBeside(of)))
            wanted.push_back({placeBeside(of), of});
    for (const QString& place : filesIn(folder))
        if (const auto content = readContent(place))
            wanted.push_back({place, content->file});
    return held(wanted);
}

std::vector<std::shared_ptr<SideFile>> SideFile::held(const std::vector<Place>& places)
{
    std::vector<std::shared_ptr<SideFile>> found;
    for (const Place& place : places) {
        std::shared_ptr<SideFile> side(new SideFile(place.path, place.of));
        if (side->hold())
            found.push_back(std::move(side));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a->time() > b->time(); });
    return found;
}

QDateTime SideFile::time() const
{
    return QFileInfo(m_path).lastModified();
}

Result<void> SideFile::write(const Experiment& experiment)
{
    QFile file(m_path);
    if (!file.exists()) // what replaces it keeps its permissions
        file.open(QIODevice::WriteOnly, QFile::ReadOwner | QFile::WriteOwner);
    file.close();
    Json origin{JsonObject{}};
    origin.add("file", m_file.toStdString());
    origin.add("folder", experiment.folder);
    Experiment copy = experiment;
    copy.extra.push_back({kOriginKey, std::move(origin)});
    return saveExperiment(copy, m_path.toStdString());
}

Result<Experiment> SideFile::read() const
{
    auto content = readContent(m_path);
    if (!content)
        return tl::unexpected(content.error());
    return std::move(content->experiment);
}

void SideFile::remove()
{
    QFile::remove(m_path);
    m_lock.unlock();
}

} // namespace unroll
