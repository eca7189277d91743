// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_on_dialog.h"

#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPointer>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <utility>

namespace unroll {

RunOnDialog::RunOnDialog(const QStringList& lines, const QString& line, PlaceOf placeOf, QWidget* parent)
    : QDialog(parent),
      m_placeOf(std::move(placeOf)),
      m_line(new QComboBox),
      m_runs(new QListWidget),
      m_words(new QLabel),
      m_list(new QPushButton(tr("&List Runs"))),
      m_attach(new QPushButton(tr("&Attach")))
{
    setWindowTitle(tr("Run on"));
    setObjectName("runOn");
    m_line->setObjectName("runOnLine");
    m_line->setEditable(true);
    m_line->setAccessibleName(tr("Where runs are trained"));
    m_line->addItem(tr("This computer"), QString());
    for (const QString& each : lines)
        m_line->addItem(each, each);
    m_line->setCurrentIndex(std::max(0, m_line->findData(line)));
    auto* hint = new QLabel(tr("user@box, ssh with its options, or any command that starts \"unroll-cli session "
                               "--stdio\". Data files are sent once. The run continues when this window closes."));
    hint->setWordWrap(true);
    hint->setProperty("tone", "dim");
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    QPushButton* run = buttons->addButton(tr("&Run There"), QDialogButtonBox::AcceptRole);
    run->setObjectName("runThere");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    column->addWidget(m_line);
    column->addWidget(hint);
    column->addWidget(makeRuns(), 1);
    column->addWidget(buttons);
    connect(run, &QPushButton::clicked, this, [this] { Q_EMIT runAsked(this->line()); });
    connect(buttons->button(QDialogButtonBox::Ok), &QPushButton::clicked, this,
            [this] { Q_EMIT placeChosen(this->line()); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_line, &QComboBox::editTextChanged, this, &RunOnDialog::refresh);
    resize(QSize(34, 24) * fontMetrics().height());
    refresh();
}

RunOnDialog::~RunOnDialog()
{
    if (m_asking.joinable())
        m_asking.detach(); // ends within its time; what it says then meets nobody
}

QWidget* RunOnDialog::makeRuns()
{
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    m_runs->setObjectName("runOnRuns");
    m_runs->setAccessibleName(tr("Runs there"));
    m_words->setObjectName("runOnWords");
    m_words->setWordWrap(true);
    m_list->setObjectName("runOnList");
    m_attach->setObjectName("runOnAttach");
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    row->addWidget(m_list);
    row->addWidget(m_attach);
    row->addStretch();
    column->addWidget(m_runs, 1);
    column->addWidget(m_words);
    column->addLayout(row);
    connect(m_list, &QPushButton::clicked, this, &RunOnDialog::listRuns);
    connect(m_runs, &QListWidget::itemSelectionChanged, this, &RunOnDialog::refresh);
    const auto attach = [this] {
        if (const QListWidgetItem* item = m_runs->currentItem()) {
            Q_EMIT attachAsked(line(), item->data(Qt::UserRole).toString());
            accept();
        }
    };
    connect(m_attach, &QPushButton::clicked, this, attach);
    connect(m_runs, &QListWidget::itemActivated, this, attach);
    return part;
}

QString RunOnDialog::line() const
{
    const QString text = m_line->currentText().trimmed();
    return text == m_line->itemText(0) ? QString() : text;
}

/// Another line has other runs.
void RunOnDialog::refresh()
{
    if (sender() == m_line) {
        ++m_question;
        m_runs->clear();
        m_words->clear();
        m_list->setEnabled(true);
    }
    m_attach->setEnabled(m_runs->currentItem() != nullptr && m_runs->currentItem()->isSelected());
}

void RunOnDialog::listRuns()
{
    const int question = ++m_question;
    m_list->setEnabled(false);
    m_words->setText(tr("Asking …"));
    const RemotePlace place = m_placeOf(line());
    if (m_asking.joinable())
        m_asking.detach();
    m_asking = std::jthread([place, question, dialog = QPointer(this)] {
        auto runs = std::make_shared<const Result<std::vector<RemoteRun>>>(listRemoteRuns(place, {}));
        if (qApp == nullptr)
            return; // the program ends
        QMetaObject::invokeMethod(
            qApp,
            [runs, question, dialog] {
                if (dialog)
                    dialog->showRuns(question, *runs);
            },
            Qt::QueuedConnection);
    });
}

void RunOnDialog::showRuns(int question, const Result<std::vector<RemoteRun>>& runs)
{
    if (question != m_question)
        return;
    m_list->setEnabled(true);
    m_runs->clear();
    if (!runs) {
        m_words->setText(QString::fromStdString(runs.error().text()));
        return;
    }
    for (const RemoteRun& run : *runs) {
        auto* item = new QListWidgetItem(tr("%1: %2, step %3 of %4")
                                             .arg(QString::fromStdString(run.folder), QString::fromStdString(run.state))
                                             .arg(run.step)
                                             .arg(run.steps),
                                         m_runs);
        item->setData(Qt::UserRole, QString::fromStdString(run.folder));
    }
    m_words->setText(runs->empty() ? tr("There are no runs there.") : QString());
    refresh();
}

} // namespace unroll
