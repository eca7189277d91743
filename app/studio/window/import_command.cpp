// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/import_command.h"

#include "app/studio/window/main_window.h"
#include "app/studio/window/training_actions.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace unroll {

ImportCommand::ImportCommand(MainWindow& window, TrainingActions& training)
    : QObject(&window), m_window(window), m_training(training)
{
    connect(&window.document(), &Document::graphChanged, this, [this] {
        if (m_dialog)
            m_dialog->askSoon();
    });
    connect(&window.document(), &Document::replaced, this, [this] {
        if (m_dialog)
            m_dialog->close();
    });
}

/// Beside the experiment: <name>-weights.safetensors, with a number where it is taken.
QString ImportCommand::proposedFile() const
{
    const Document& document = m_window.document();
    const QString folder = document.path().isEmpty()
                               ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                               : QFileInfo(document.path()).path();
    const QString base =
        document.path().isEmpty() ? QStringLiteral("imported") : QFileInfo(document.path()).completeBaseName();
    QString file = QDir(folder).filePath(base + "-weights.safetensors");
    for (int number = 2; QFileInfo::exists(file); ++number)
        file = QDir(folder).filePath(QString("%1-weights-%2.safetensors").arg(base).arg(number));
    return file;
}

ImportDialog* ImportCommand::showDialog()
{
    if (m_dialog)
        m_dialog->close();
    StudioContext& studio = m_window.studio();
    m_dialog =
        new ImportDialog({studio.registry, studio.appearance, [this] { return m_window.document().experiment(); },
                          proposedFile(), m_training.initialWeights()},
                         &m_window);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_dialog, &ImportDialog::imported, this, &ImportCommand::take);
    connect(m_dialog, &ImportDialog::cleared, this, &ImportCommand::clear);
    m_dialog->show();
    return m_dialog;
}

void ImportCommand::take(const QString& file, int tensors)
{
    m_training.setInitialWeights(file);
    m_window.messages().offer(
        MessageBar::Tone::Note,
        tensors == 1 ? tr("New runs of this window start from the tensor in %1.").arg(file)
                     : tr("New runs of this window start from the %1 tensors in %2.").arg(tensors).arg(file),
        {{tr("Initialise &Randomly"), [this] { clear(); }}});
}

void ImportCommand::clear()
{
    m_training.setInitialWeights({});
    m_window.messages().showNote(tr("New runs of this window start from random weights."));
}

} // namespace unroll
