// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/own_text.h"

#include "app/studio/window/dropped_file.h"
#include "core/format/atomic_file.h"
#include "core/graph/edit.h"
#include "core/train/gallery.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStandardPaths>
#include <filesystem>

namespace unroll {

namespace {

QString askForText(QWidget* window)
{
    return QFileDialog::getOpenFileName(
        window, OwnText::tr("Choose a text"), {},
        OwnText::tr("Texts (*.txt *.md *.tex *.html);;Tables (*.csv *.tsv);;All files (*)"));
}

QString askForPlace(QWidget* window)
{
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    return QFileDialog::getSaveFileName(window, OwnText::tr("Save the pasted text"), folder.filePath("pasted.txt"),
                                        OwnText::tr("Texts (*.txt);;All files (*)"));
}

/// The default experiment where it reads files of this kind, else the first of the gallery that does.
Result<Experiment> experimentReading(const QString& path, const BlockRegistry& registry)
{
    const auto usual = findExperiment(defaultExperiment);
    if (!usual)
        return tl::unexpected(usual.error());
    std::vector<std::filesystem::path> files = galleryExperiments();
    files.insert(files.begin(), *usual);
    for (const std::filesystem::path& file : files)
        if (auto experiment = loadExperiment(file.string());
            experiment && !fileParams(path, experiment->graph, registry).empty())
            return experiment;
    return fail("no experiment of the gallery reads such a file", path.toStdString());
}

} // namespace

Result<Experiment> experimentOnText(const QString& path, const BlockRegistry& registry)
{
    auto found = experimentReading(path, registry);
    if (!found)
        return found;
    Experiment experiment = std::move(*found);
    const FileParam reader = fileParams(path, experiment.graph, registry).front();
    auto graph = edits::setParam(reader.node, reader.param, path.toStdString()).apply(experiment.graph);
    if (!graph)
        return tl::unexpected(graph.error());
    experiment.graph = std::move(*graph);
    experiment.title = QFileInfo(path).completeBaseName().toStdString();
    const std::string name = QFileInfo(path).fileName().toStdString();
    experiment.summary = blockReading(path, registry) == nullptr ? "Learns " + name + ", letter by letter."
                                                                 : "Forecasts " + name + ", row by row.";
    return experiment;
}

OwnText::OwnText(QWidget& window) : QObject(&window), askWhich(askForText), askWhereTo(askForPlace), m_window(window) {}

void OwnText::choose()
{
    const QString path = askWhich(&m_window);
    if (!path.isEmpty())
        Q_EMIT chosen(path);
}

void OwnText::paste()
{
    const QString text = QGuiApplication::clipboard()->text();
    if (text.isEmpty()) {
        Q_EMIT failed(tr("Nothing to paste: copy a text first."));
        return;
    }
    const QString path = askWhereTo(&m_window);
    if (path.isEmpty())
        return;
    const auto saved = format::writeFileAtomically(path.toStdString(), text.toUtf8().toStdString());
    if (saved)
        Q_EMIT chosen(path);
    else
        Q_EMIT failed(tr("The text was not saved. %1").arg(QString::fromStdString(saved.error().text())));
}

} // namespace unroll
