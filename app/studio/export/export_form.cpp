// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_form.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/plain_label.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

/// A dialog for a folder that exists; it stays while the form lives on.
template <class Take>
void askForFolder(QWidget* parent, const QString& title, const QString& from, Take take)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    if (QFileInfo(from).isDir())
        dialog->setDirectory(from);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, take);
    dialog->open();
}

/// Beside something higher: its line is the first line there.
QLabel* topCaption(const QString& text, int above)
{
    auto* label = new QLabel(text);
    label->setContentsMargins(0, above, 0, 0);
    return label;
}

} // namespace

ExportForm::ExportForm(RunController& controller, const Appearance& appearance, QString place, QWidget* parent)
    : QWidget(parent),
      m_controller(controller),
      m_place(std::move(place)),
      m_run(new QLabel),
      m_checkpoints(new QComboBox),
      m_checkpointNow(new QPushButton(tr("Checkpoint &Now"))),
      m_note(new QLabel),
      m_formats(new FormatList(appearance)),
      m_target(new QLineEdit)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::m);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(3, 1); // of the formats: the list keeps to its top
    addRunRow(*grid);
    addCheckpointRow(*grid);
    grid->addWidget(topCaption(tr("Format"), space::s), 3, 0, Qt::AlignTop);
    grid->addWidget(m_formats, 3, 1, 1, 2);
    addTargetRow(*grid);
    connect(m_formats, &FormatList::chosenChanged, this, &ExportForm::edited);
    connect(m_checkpoints, &QComboBox::currentIndexChanged, this, &ExportForm::edited);
    connect(&controller, &RunController::snapshotChanged, this, &ExportForm::follow);
    connect(&controller, &RunController::stateChanged, this, &ExportForm::follow);
    connect(&controller, &RunController::runChanged, this, &ExportForm::follow);
    showRun({});
}

void ExportForm::addRunRow(QGridLayout& grid)
{
    auto* another = new QPushButton(tr("Choose Another &Run …"));
    m_run->setWordWrap(true);
    m_run->setTextFormat(Qt::PlainText);
    m_run->setContentsMargins(0, space::xs, 0, 0);
    grid.addWidget(topCaption(tr("Run"), space::xs), 0, 0, Qt::AlignTop);
    grid.addWidget(m_run, 0, 1, Qt::AlignTop);
    grid.addWidget(another, 0, 2, Qt::AlignTop);
    connect(another, &QPushButton::clicked, this, &ExportForm::chooseRun);
}

void ExportForm::addCheckpointRow(QGridLayout& grid)
{
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setProperty("tone", "dim");
    grid.addWidget(fieldCaption(tr("&Checkpoint"), m_checkpoints), 1, 0);
    grid.addWidget(m_checkpoints, 1, 1);
    grid.addWidget(m_checkpointNow, 1, 2);
    grid.addWidget(m_note, 2, 1, 1, 2);
    m_checkpointNow->setToolTip(tr("Saves the current weights to the run folder; training continues."));
    connect(m_checkpointNow, &QPushButton::clicked, &m_controller, &RunController::checkpoint);
}

void ExportForm::addTargetRow(QGridLayout& grid)
{
    auto* choose = new QPushButton(tr("Ch&oose …"));
    grid.addWidget(fieldCaption(tr("&Folder"), m_target), 4, 0);
    grid.addWidget(m_target, 4, 1);
    grid.addWidget(choose, 4, 2);
    m_target->setToolTip(tr("The files are written here; a missing folder is created."));
    connect(m_target, &QLineEdit::textEdited, this, [this] { m_targetEdited = true; });
    connect(m_target, &QLineEdit::textChanged, this, &ExportForm::edited);
    connect(choose, &QPushButton::clicked, this, &ExportForm::chooseTarget);
}

void ExportForm::chooseRun()
{
    askForFolder(this, tr("Choose the folder of a run"), QFileInfo(m_source.folder).absolutePath(),
                 [this](const QString& folder) { showRun(folder); });
}

void ExportForm::chooseTarget()
{
    const QFileInfo now(m_target->text());
    askForFolder(this, tr("Choose a folder to export to"), now.isDir() ? now.filePath() : now.path(),
                 [this](const QString& folder) {
                     m_targetEdited = true;
                     m_target->setText(folder);
                 });
}

void ExportForm::showRun(const QString& folder)
{
    m_source.folder = folder;
    m_checkpoints->clear(); // those of another run are not a choice
    readSource();
    if (!m_targetEdited && !folder.isEmpty())
        m_target->setText(QDir(m_place).filePath(m_source.name()));
}

void ExportForm::readSource()
{
    m_checkpointed = m_controller.snapshot()->checkpointed;
    m_source = readExportSource(m_source.folder);
    const QString place = m_source.folder.isEmpty() ? tr("none") : m_source.folder;
    m_run->setText(m_source.title.isEmpty() ? place : m_source.title + '\n' + place);
    fillCheckpoints();
    follow();
    Q_EMIT sourceRead();
}

/// What was chosen stays chosen, though its step may be another by now.
void ExportForm::fillCheckpoints()
{
    const QSignalBlocker quiet(m_checkpoints);
    const QString chosen = m_checkpoints->currentData().toString();
    m_checkpoints->clear();
    for (const ExportSource::Checkpoint& checkpoint : m_source.checkpoints)
        m_checkpoints->addItem(checkpoint.words, checkpoint.id);
    m_checkpoints->setCurrentIndex(std::max(0, m_checkpoints->findData(chosen)));
    m_checkpoints->setEnabled(m_checkpoints->count() > 0);
}

/// The run goes on behind the dialog: its checkpoints come and go.
void ExportForm::follow()
{
    const Snapshot& now = *m_controller.snapshot();
    const QString folder = QString::fromStdString(now.runFolder);
    if (m_source.folder.isEmpty() && !folder.isEmpty())
        return showRun(folder);
    if (folder == m_source.folder && now.checkpointed != m_checkpointed)
        return readSource();
    m_checkpointNow->setVisible(isUnderWay());
    refreshNote();
}

bool ExportForm::isUnderWay() const
{
    const std::string& folder = m_controller.snapshot()->runFolder;
    return m_controller.isUnderWay() && !folder.empty() && QString::fromStdString(folder) == m_source.folder;
}

void ExportForm::refreshNote()
{
    const QString progress = tr("This run is training, at step %1.").arg(countText(m_controller.snapshot()->step));
    if (!isUnderWay())
        m_note->setText(m_source.refusal);
    else if (m_source.refusal.isEmpty())
        m_note->setText(progress + ' ' + tr("A checkpoint is exported."));
    else
        m_note->setText(progress + ' ' + tr("It has no checkpoint yet: save one now."));
    m_note->setVisible(!m_note->text().isEmpty());
}

void ExportForm::focusFormats()
{
    m_formats->focusChosen();
}

bool ExportForm::isReady() const
{
    return m_checkpoints->currentIndex() >= 0 && !m_target->text().trimmed().isEmpty();
}

ExportRequest ExportForm::request() const
{
    const ExportFormat& format = m_formats->chosen();
    QString out = QFileInfo(m_target->text().trimmed()).absoluteFilePath();
    if (!format.isFolder())
        out = QDir(out).filePath(m_source.name() + QString::fromStdString(format.suffix));
    return {m_source.folder.toStdString(),
            m_checkpoints->currentData().toString().toStdString(),
            &format,
            out.toStdString(),
            {}};
}

} // namespace unroll
