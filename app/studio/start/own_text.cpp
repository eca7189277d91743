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

namespace unroll {

namespace {

QString askForText(QWidget* window)
{
    return QFileDialog::getOpenFileName(window, OwnText::tr("Choose a text"), {},
                                        OwnText::tr("Texts (*.txt *.md *.tex *.html);;All files (*)"));
}

QString askForPlace(QWidget* window)
{
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    return QFileDialog::getSaveFileName(window, OwnText::tr("Save the pasted text"), folder.filePath("pasted.txt"),
                                        OwnText::tr("Texts (*.txt);;All files (*)"));
}

} // namespace

Result<Experiment> experimentOnText(const QString& path, const BlockRegistry& registry)
{
    const auto found = findExperiment(defaultExperiment);
    if (!found)
        return tl::unexpected(found.error());
    auto experiment = loadExperiment(found->string());
    if (!experiment)
        return experiment;
    const auto texts = textParams(experiment->graph, registry);
    if (texts.empty())
        return fail("nothing in it reads a text", found->string());
    auto graph = edits::setParam(texts.front().node, texts.front().param, path.toStdString()).apply(experiment->graph);
    if (!graph)
        return tl::unexpected(graph.error());
    experiment->graph = std::move(*graph);
    experiment->title = QFileInfo(path).completeBaseName().toStdString();
    experiment->summary = "Learns " + QFileInfo(path).fileName().toStdString() + ", letter by letter.";
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
