// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/export/verification.h"
#include "core/export/export.h"

#include <QFrame>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace unroll {

class Appearance;

/// What was written, how it is loaded, and whether it computes what it should.
class ExportResult : public QWidget {
    Q_OBJECT
public:
    explicit ExportResult(const Appearance& appearance, QWidget* parent = nullptr);

    void showReport(const ExportRequest& request, const ExportReport& report);

    QString snippet() const { return m_snippet->toPlainText(); }
    QString shownText() const { return m_files->text(); } ///< the files with their sizes
    /// What the verification said; empty where there was none.
    QString verdict() const { return m_frame->isHidden() ? QString() : m_verdict->text(); }

private:
    void addButtons(QVBoxLayout& column);
    void openFolder();
    void verify();
    void showVerdict(const char* fill, const QString& words);
    void judged(Verification::Verdict verdict, const QString& words);

    QString m_folder;
    Verification m_verification;
    QLabel* m_title;
    QLabel* m_files;
    QLabel* m_notes;
    QPlainTextEdit* m_snippet;
    QPushButton* m_copy = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_verify = nullptr;
    QFrame* m_frame; ///< around the verdict
    QLabel* m_verdict;
};

} // namespace unroll
