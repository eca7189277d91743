// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_result.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/plain_label.h"
#include "app/studio/theme/style.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QUrl>
#include <algorithm>

namespace unroll {

namespace {

constexpr std::size_t kNotesShown = 4;

QString fileLines(const std::vector<std::string>& files)
{
    QStringList lines;
    for (const std::string& file : files) {
        const QFileInfo info(QString::fromStdString(file));
        lines << QStringLiteral("%1, %2").arg(info.fileName(), bytesText(static_cast<double>(info.size())));
    }
    return lines.join('\n');
}

QString noteLines(const std::vector<std::string>& notes)
{
    QStringList lines;
    for (std::size_t i = 0; i < std::min(notes.size(), kNotesShown); ++i)
        lines << QString::fromStdString(notes[i]);
    if (notes.size() > kNotesShown)
        lines << ExportResult::tr("and %1 more like these").arg(notes.size() - kNotesShown);
    return lines.join('\n');
}

} // namespace

ExportResult::ExportResult(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_title(plainLabel({})),
      m_files(plainLabel({})),
      m_notes(plainLabel({})),
      m_snippet(new QPlainTextEdit),
      m_frame(new QFrame),
      m_verdict(plainLabel({}))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    appearance.dress(*m_title, Type::Strong);
    m_notes->setProperty("tone", "dim");
    m_snippet->setReadOnly(true);
    m_snippet->setTabChangesFocus(true);
    m_snippet->setLineWrapMode(QPlainTextEdit::NoWrap);
    appearance.dress(*m_snippet, Type::Mono);
    m_snippet->setAccessibleName(tr("Python code that loads it"));
    auto* frame = new QVBoxLayout(m_frame);
    frame->setContentsMargins(space::s, space::s, space::s, space::s);
    frame->addWidget(m_verdict);
    for (QWidget* part : std::initializer_list<QWidget*>{m_title, m_files, m_notes, new QLabel(tr("To load it:"))})
        column->addWidget(part);
    column->addWidget(m_snippet, 1);
    addButtons(*column);
    column->addWidget(m_frame);
    connect(&m_verification, &Verification::ended, this, &ExportResult::judged);
}

void ExportResult::addButtons(QVBoxLayout& column)
{
    m_copy = new QPushButton(tr("&Copy"));
    m_open = new QPushButton(tr("Open &Folder"));
    m_verify = new QPushButton(tr("&Verify"));
    m_copy->setToolTip(tr("Copies this Python code."));
    m_verify->setToolTip(tr("Runs python model.py --verify: PyTorch recomputes the golden values and compares."));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    for (QPushButton* button : {m_copy, m_open, m_verify})
        row->addWidget(button);
    row->addStretch();
    column.addLayout(row);
    connect(m_copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(snippet()); });
    connect(m_open, &QPushButton::clicked, this, &ExportResult::openFolder);
    connect(m_verify, &QPushButton::clicked, this, &ExportResult::verify);
}

void ExportResult::showReport(const ExportRequest& request, const ExportReport& report)
{
    const QFileInfo out(QString::fromStdString(request.out));
    const bool verifies = !request.format->verify.empty();
    m_verification.stop(); // of an export before this one
    m_folder = request.format->isFolder() ? out.filePath() : out.path();
    m_title->setText(tr("Written to %1: %2 parameters after %3 updates.")
                         .arg(m_folder, countText(report.parameters), countText(report.step)));
    m_files->setText(fileLines(report.files));
    m_notes->setText(noteLines(report.notes));
    m_notes->setVisible(!report.notes.empty());
    m_snippet->setPlainText(QString::fromStdString(loadingSnippet(*request.format, request.out)));
    m_verify->setVisible(verifies);
    m_frame->hide();
    (verifies ? m_verify : m_copy)->setFocus();
}

void ExportResult::openFolder()
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder)))
        showVerdict("warning", tr("No file manager was found. The files are in %1").arg(m_folder));
}

/// The same button ends it: a big model takes its time.
void ExportResult::verify()
{
    if (m_verification.isRunning())
        return m_verification.stop();
    m_verify->setText(tr("Stop &Verifying"));
    showVerdict("note", tr("Python is computing the golden values …"));
    m_verification.start(m_folder);
}

void ExportResult::judged(Verification::Verdict verdict, const QString& words)
{
    using Verdict = Verification::Verdict;
    m_verify->setText(tr("&Verify"));
    if (verdict == Verdict::Same)
        showVerdict("note", tr("Verified: PyTorch gives the same values.") + '\n' + words);
    else if (verdict == Verdict::Different)
        showVerdict("error", tr("PyTorch gives different values.") + '\n' + words);
    else if (verdict == Verdict::NotRun)
        showVerdict("warning", tr("Not verified.") + ' ' + words);
    else
        m_frame->hide();
}

void ExportResult::showVerdict(const char* fill, const QString& words)
{
    m_verdict->setText(words);
    restyle(*m_frame, "fill", fill);
    m_frame->show();
}

} // namespace unroll
