// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_commands.h"

#include "app/studio/runs/run_comparison.h"
#include "app/studio/theme/number_text.h"
#include "core/runs/run_care.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

namespace unroll {

namespace {

QString nameOf(const RunSummary& run)
{
    return QString::fromStdString(run.name());
}

} // namespace

RunsCommands::RunsCommands(List list, QWidget& panel) : QObject(&panel), m_list(std::move(list)), m_panel(panel) {}

bool RunsCommands::isMine(const RunSummary& run) const
{
    return run.folder == m_list.controller.folder();
}

const RunSummary* RunsCommands::single() const
{
    const QList<int> rows = m_list.view.selectedRows();
    return rows.size() == 1 ? &m_list.model.at(rows.front()) : nullptr;
}

QString RunsCommands::hindrance(const RunSummary& run) const
{
    if (run.state == RunState::Running)
        return tr("%1 is training. Stop it first.").arg(nameOf(run));
    if (run.isHeld && !isMine(run))
        return tr("%1 is open in another window or program.").arg(nameOf(run));
    return {};
}

/// The record is read beside; what was selected then is what opens.
void RunsCommands::readRecord(const QString& folder, std::function<void(const RunRecord& record)> found)
{
    m_list.disk.ask([this, folder, found = std::move(found)](const std::stop_token&) -> DiskThread::Answer {
        auto record = readRunRecord(folder.toStdString());
        return [this, found, record = std::move(record)] {
            if (record)
                found(*record);
            else
                Q_EMIT failed(tr("The run could not be opened. %1").arg(QString::fromStdString(record.error().text())));
        };
    });
}

void RunsCommands::reopen()
{
    const RunSummary* run = single();
    if (run == nullptr)
        return;
    if (isMine(*run) && m_list.controller.canBeAsked() && !m_list.controller.isRecord())
        return Q_EMIT noted(tr("%1 is already shown.").arg(nameOf(*run)));
    readRecord(QString::fromStdString(run->folder.string()),
               [this](const RunRecord& record) { Q_EMIT reopenAsked(record); });
}

void RunsCommands::goOn()
{
    const RunSummary* run = single();
    if (run == nullptr)
        return;
    if (isMine(*run) && m_list.controller.isUnderWay())
        return Q_EMIT noted(tr("%1 is the run of this window.").arg(nameOf(*run)));
    const bool isHeld = run->state == RunState::Running || run->isHeld;
    if (run->checkpoint < 0 && !isHeld)
        return Q_EMIT noted(tr("%1 has no checkpoint to resume from.").arg(nameOf(*run)));
    Q_EMIT goOnAsked(QString::fromStdString(run->folder.string()));
}

void RunsCommands::toggleOverlays()
{
    for (const int row : m_list.view.selectedRows())
        m_list.view.toggleOverlay(row);
}

/// In the order in which they are seen.
void RunsCommands::compareSettings()
{
    const QList<int> rows = m_list.view.selectedRows();
    if (rows.size() != 2)
        return;
    const QString first = m_list.model.folderAt(rows[0]), second = m_list.model.folderAt(rows[1]);
    m_list.disk.ask([this, first, second](const std::stop_token&) -> DiskThread::Answer {
        const auto left = readRunSettings(first.toStdString()), right = readRunSettings(second.toStdString());
        if (!left || !right)
            return [this, error = left ? right.error() : left.error()] {
                Q_EMIT failed(tr("The runs cannot be compared. %1").arg(QString::fromStdString(error.text())));
            };
        return [this, first, second, found = differencesOf(*left, *right, m_list.registry)] {
            auto* dialog =
                new RunComparison(QFileInfo(first).fileName(), QFileInfo(second).fileName(), found, m_panel.window());
            dialog->show();
        };
    });
}

void RunsCommands::edit(RunsModel::Column column)
{
    const RunSummary* run = single();
    if (run == nullptr)
        return;
    const QString reason = column == RunsModel::Name ? hindrance(*run) : QString();
    if (reason.isEmpty())
        m_list.view.editCell(m_list.view.selectedRows().front(), column);
    else
        Q_EMIT noted(reason);
}

void RunsCommands::rename(const QString& folder, const QString& name)
{
    m_list.disk.ask([this, folder, name](const std::stop_token&) -> DiskThread::Answer {
        const auto renamed = renameRun(folder.toStdString(), name.trimmed().toStdString());
        return [this, folder, renamed] {
            if (!renamed)
                return Q_EMIT failed(tr("Not renamed: %1.").arg(QString::fromStdString(renamed.error().text())));
            m_list.model.setFolder(folder, QString::fromStdString(renamed->string()));
            m_list.controller.folderMoved(folder.toStdString(), renamed->string());
            Q_EMIT moved();
            Q_EMIT changed();
        };
    });
}

void RunsCommands::takeNote(const QString& folder, const QString& words)
{
    m_list.disk.ask([this, folder, words](const std::stop_token&) -> DiskThread::Answer {
        const auto written = writeRunNote(folder.toStdString(), words.trimmed().toStdString());
        return [this, written] {
            if (!written)
                Q_EMIT failed(tr("The note was not saved: %1.").arg(QString::fromStdString(written.error().text())));
            Q_EMIT changed();
        };
    });
}

void RunsCommands::askToDelete()
{
    QStringList folders;
    for (const int row : m_list.view.selectedRows()) {
        if (const QString reason = hindrance(m_list.model.at(row)); !reason.isEmpty())
            return Q_EMIT noted(reason);
        folders << m_list.model.folderAt(row);
    }
    if (folders.isEmpty() || (m_question && m_question->isVisible()))
        return;
    const QString words = folders.size() == 1 ? tr("Move %1 to the trash?").arg(QFileInfo(folders.front()).fileName())
                                              : tr("Move these %1 runs to the trash?").arg(folders.size());
    m_question =
        new QMessageBox(QMessageBox::Question, tr("Move to the trash"), words, QMessageBox::Cancel, m_panel.window());
    m_question->setInformativeText(tr("This includes its curves, checkpoints and samples."));
    m_question->setAttribute(Qt::WA_DeleteOnClose);
    const QAbstractButton* yes = m_question->addButton(tr("Move to &Trash"), QMessageBox::DestructiveRole);
    m_question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QAbstractButton::clicked, this, [this, folders] { moveToTrash(folders); });
    m_question->open();
}

/// The run that is shown here goes from sight first: it holds its folder.
void RunsCommands::moveToTrash(const QStringList& folders)
{
    const QString shown = QString::fromStdString(m_list.controller.snapshot()->runFolder);
    if (folders.contains(shown) && m_list.controller.isUnderWay())
        return Q_EMIT noted(tr("%1 is training. Stop it first.").arg(QFileInfo(shown).fileName()));
    if (folders.contains(shown))
        m_list.controller.forget();
    m_list.disk.ask([this, folders, trash = m_list.trash](const std::stop_token&) -> DiskThread::Answer {
        QStringList kept;
        for (const QString& folder : folders)
            if (!trash(folder))
                kept << QFileInfo(folder).fileName();
        return [this, kept] {
            if (!kept.isEmpty())
                Q_EMIT failed(tr("Not moved to the trash: %1. Nothing was deleted.").arg(kept.join(", ")));
            Q_EMIT changed();
        };
    });
}

} // namespace unroll
