// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/own_data.h"

#include "app/studio/document/dropped_file.h"
#include "app/studio/start/gallery_item.h"
#include "core/format/atomic_file.h"
#include "core/graph/edit.h"
#include "core/runs/run_names.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStandardPaths>

namespace unroll {

namespace {

QString askForFile(QWidget* window)
{
    return QFileDialog::getOpenFileName(
        window, OwnData::tr("Choose a file to learn from"), {},
        OwnData::tr("Texts and tables (*.txt *.md *.tex *.html *.csv *.tsv);;All files (*)"));
}

QString askForPlace(QWidget* window)
{
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    return QFileDialog::getSaveFileName(window, OwnData::tr("Save the pasted text"), folder.filePath("pasted.txt"),
                                        OwnData::tr("Texts (*.txt);;All files (*)"));
}

} // namespace

Result<Experiment> experimentOnData(const QString& path, const BlockRegistry& registry)
{
    const std::string name = QFileInfo(path).fileName().toStdString();
    for (const GalleryItem& item : galleryItems()) {
        const auto readers = fileParams(path, item.graph, registry);
        if (readers.empty())
            continue;
        auto experiment = loadExperiment(item.path.toStdString());
        if (!experiment)
            return experiment;
        const FileParam& reader = readers.front();
        auto graph = edits::setParam(reader.node, reader.param, path.toStdString()).apply(experiment->graph);
        if (!graph)
            return tl::unexpected(graph.error());
        experiment->graph = std::move(*graph);
        experiment->title = QFileInfo(path).completeBaseName().toStdString();
        experiment->summary = blockReading(path, registry) == nullptr ? "Predicts " + name + ", character by character."
                                                                      : "Forecasts " + name + ", row by row.";
        return experiment;
    }
    return fail("no gallery experiment reads this kind of file", name);
}

OwnData::OwnData(QWidget& window) : QObject(&window), askWhich(askForFile), askWhereTo(askForPlace), m_window(window) {}

void OwnData::choose()
{
    const QString path = askWhich(&m_window);
    if (!path.isEmpty())
        Q_EMIT chosen(path);
}

void OwnData::paste()
{
    const QString text = QGuiApplication::clipboard()->text();
    if (text.isEmpty()) {
        Q_EMIT failed(tr("Nothing to paste: copy some text first."));
        return;
    }
    const QString path = askWhereTo(&m_window);
    if (path.isEmpty())
        return;
    const auto saved = outsideRuns(path.toStdString()).and_then([&] {
        return format::writeFileAtomically(path.toStdString(), text.toUtf8().toStdString());
    });
    if (saved)
        Q_EMIT chosen(path);
    else
        Q_EMIT failed(tr("The text was not saved. %1").arg(QString::fromStdString(saved.error().text())));
}

} // namespace unroll
