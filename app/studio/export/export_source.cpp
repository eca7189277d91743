// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_source.h"

#include "app/studio/theme/number_text.h"
#include "core/runs/run_folder.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace unroll {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("ExportSource", text);
}

} // namespace

QString ExportSource::name() const
{
    return QFileInfo(QDir::cleanPath(folder)).fileName();
}

ExportSource readExportSource(const QString& folder)
{
    ExportSource source{folder, {}, {}, {}};
    if (folder.isEmpty()) {
        source.refusal = translated(QT_TRANSLATE_NOOP("ExportSource", "No run yet. Train first, or choose a run."));
        return source;
    }
    const auto run = RunFolder::open(folder.toStdString());
    if (!run) {
        source.refusal = QString::fromStdString(run.error().text());
        return source;
    }
    source.title = QString::fromStdString(run->experiment().title);
    const auto places = run->checkpoints().all();
    if (places.empty()) {
        source.refusal = translated(QT_TRANSLATE_NOOP(
            "ExportSource", "This run has no checkpoint yet. Continue training, or choose another run."));
        return source;
    }
    source.checkpoints.push_back(
        {"newest",
         translated(QT_TRANSLATE_NOOP("ExportSource", "Newest, step %1")).arg(countText(places.front().step))});
    if (const auto best = run->checkpoints().best())
        source.checkpoints.push_back(
            {"best", translated(QT_TRANSLATE_NOOP("ExportSource", "Best, step %1")).arg(countText(best->place.step))});
    for (auto place = places.begin() + 1; place != places.end(); ++place)
        source.checkpoints.push_back(
            {QString::number(place->step),
             translated(QT_TRANSLATE_NOOP("ExportSource", "Step %1")).arg(countText(place->step))});
    return source;
}

} // namespace unroll
