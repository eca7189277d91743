// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_dialog.h"

#include "app/studio/theme/metrics.h"

#include <QEvent>
#include <QFileInfo>
#include <QScreen>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kPlaceKey = "export/folder"; ///< that the last export's folder lay in

QString proposedPlace(const QSettings& settings)
{
    return settings.value(kPlaceKey, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)).toString();
}

QString folderOf(const ExportRequest& request)
{
    const QFileInfo out(QString::fromStdString(request.out));
    return request.format->isFolder() ? out.filePath() : out.path();
}

QString listed(const std::vector<std::string>& names)
{
    QStringList list;
    for (const std::string& name : names)
        list << QString::fromStdString(name);
    return list.join(", ");
}

} // namespace

ExportDialog::ExportDialog(StudioContext& studio, RunController& controller, QWidget* parent)
    : QDialog(parent),
      m_settings(studio.settings),
      m_job(studio.registry, allBuilders()),
      m_scroll(new ColumnScroll(tr("Export"))),
      m_messages(new MessageBar(studio.appearance)),
      m_pages(new QStackedWidget),
      m_form(new ExportForm(controller, studio.appearance, proposedPlace(studio.settings))),
      m_result(new ExportResult(studio.appearance)),
      m_file(new QLabel),
      m_progress(new QProgressBar)
{
    setWindowTitle(tr("Export"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    m_pages->addWidget(m_form);
    m_pages->addWidget(m_result);
    m_progress->setTextVisible(false);
    auto* body = new QWidget;
    body->setObjectName("dialogBody");
    m_scroll->setObjectName("dialogScroll");
    auto* above = new QVBoxLayout(body);
    above->setContentsMargins(0, 0, 0, 0);
    above->setSpacing(space::m);
    above->addWidget(m_messages);
    above->addWidget(m_pages, 1);
    m_scroll->setWidget(body);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_file);
    column->addWidget(m_progress);
    column->addLayout(makeButtons());
    connectParts();
    resize((QSize(40, 35) * fontMetrics().height()).boundedTo(screen()->availableSize()));
    end();
}

/// With all of the scrolled part in sight.
int ExportDialog::wholeHeight() const
{
    const QWidget& body = *m_scroll->widget();
    const int wide = m_scroll->viewport()->width();
    const int content = std::max(body.layout()->totalHeightForWidth(wide), body.minimumSizeHint().height());
    return layout()->totalMinimumSize().height() - m_scroll->minimumSizeHint().height() + content;
}

/// A question or a long path asks for more room: it is given as far as the screen goes, so that no sentence is cut.
/// Beyond that the dialog scrolls, and its buttons stay.
bool ExportDialog::event(QEvent* event)
{
    const bool done = QDialog::event(event);
    if (event->type() != QEvent::LayoutRequest && event->type() != QEvent::Show)
        return done;
    const int wanted = std::min(wholeHeight(), screen()->availableSize().height());
    if (wanted > height())
        resize(width(), wanted);
    return done;
}

void ExportDialog::connectParts()
{
    connect(m_form, &ExportForm::sourceRead, this, &ExportDialog::refreshButtons);
    connect(m_form, &ExportForm::edited, this, [this] {
        m_messages->hide(); // it was about what is no longer asked for
        refreshButtons();
    });
    connect(&m_job, &ExportJob::fileStarted, this, [this](const QString& path) {
        m_file->setText(tr("Writing %1 …").arg(QFileInfo(path).fileName()));
        m_progress->setValue(m_progress->value() + 1);
    });
    connect(&m_job, &ExportJob::done, this, &ExportDialog::showDone);
    connect(&m_job, &ExportJob::failed, this, [this](const QString& sentence) {
        end();
        m_messages->showError(tr("Not exported. %1").arg(sentence));
    });
    connect(&m_job, &ExportJob::cancelled, this, [this] {
        end();
        m_messages->showNote(tr("Cancelled. Files already written are kept."));
    });
}

QLayout* ExportDialog::makeButtons()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    row->addWidget(m_back = new QPushButton(tr("&Back")));
    row->addStretch();
    row->addWidget(m_export = new QPushButton(tr("&Export")));
    row->addWidget(m_close = new QPushButton);
    m_export->setDefault(true);
    connect(m_back, &QPushButton::clicked, this, &ExportDialog::showForm);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::exportOrAsk);
    connect(m_close, &QPushButton::clicked, this, &ExportDialog::reject);
    return row;
}

void ExportDialog::showRun(const QString& folder)
{
    if (m_job.isRunning())
        return;
    m_form->showRun(folder);
    showForm();
}

void ExportDialog::showForm()
{
    m_messages->hide();
    m_pages->setCurrentWidget(m_form);
    m_form->focusFormats();
    refreshButtons();
}

void ExportDialog::exportOrAsk()
{
    ExportRequest request = m_form->request();
    const PlaceFaults faults = filesInPlace(*request.format, request.out);
    if (faults.forbid(true))
        m_messages->showError(tr("Not exported. %1 %2.").arg(folderOf(request), QString::fromStdString(faults.text())));
    else if (!faults.forbid(false))
        begin(request);
    else
        askFirst(std::move(request), faults);
}

/// The answer that loses nothing has the keyboard.
void ExportDialog::askFirst(ExportRequest request, const PlaceFaults& faults)
{
    QStringList sentences;
    if (!faults.replaced.empty())
        sentences << tr("%1 already contains %2.").arg(folderOf(request), listed(faults.replaced));
    if (!faults.foreign.empty())
        sentences << tr("%1 contains files that are not part of an export: %2.")
                         .arg(folderOf(request), listed(faults.foreign));
    request.force = true; // where the answer is yes
    const QString yes = faults.replaced.empty() ? tr("Export &There") : tr("Over&write");
    m_messages->hide(); // so that its buttons are there at once
    m_messages->ask(sentences.join(' '), {{tr("&Keep"), [] {}}, {yes, [this, request] { begin(request); }}});
    m_messages->focusAnswers();
}

void ExportDialog::begin(const ExportRequest& request)
{
    m_request = request;
    m_messages->hide();
    m_form->setEnabled(false);
    m_file->setText(tr("Reading the checkpoint …"));
    m_progress->setRange(0, static_cast<int>(exportedFiles(*request.format, request.out).size()) + 1);
    m_progress->setValue(0);
    m_file->show();
    m_progress->show();
    m_job.start(request);
    m_close->setFocus();
    refreshButtons();
}

void ExportDialog::end()
{
    m_form->setEnabled(true);
    m_form->focusFormats();
    m_file->hide();
    m_progress->hide();
    refreshButtons();
    if (std::exchange(m_leaves, false))
        deleteLater();
}

void ExportDialog::showDone(const ExportReport& report)
{
    end();
    m_settings.setValue(kPlaceKey, QFileInfo(folderOf(m_request)).absolutePath());
    m_pages->setCurrentWidget(m_result);
    m_result->showReport(m_request, report);
    refreshButtons();
}

void ExportDialog::refreshButtons()
{
    const bool running = m_job.isRunning();
    m_back->setVisible(isDone());
    m_export->setVisible(!isDone());
    m_export->setEnabled(!running && m_form->isReady());
    m_close->setText(running ? tr("Cancel") : tr("Close"));
}

void ExportDialog::reject()
{
    if (!m_job.isRunning())
        return QDialog::reject();
    m_file->setText(tr("Stopping after this file …"));
    m_job.cancel();
}

void ExportDialog::leave()
{
    m_leaves = m_job.isRunning();
    close();
    if (m_leaves)
        hide();
}

} // namespace unroll
