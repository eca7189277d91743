// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace unroll {

class Appearance;

/// The experiment as a whole: its title and summary, which are written here and saved in the file, and what it costs in
/// total.
class ExperimentCard : public QWidget {
    Q_OBJECT
public:
    ExperimentCard(Document& document, const Appearance& appearance, QWidget* parent = nullptr);
    ~ExperimentCard() override;

    QLineEdit& titleField() const { return *m_title; }
    void refresh(); ///< reads the document again

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void connectFields();

    Document& m_document;
    QLineEdit* m_title;
    QPlainTextEdit* m_summary;
    QLabel* m_totals;
    QString m_shown; ///< the summary as the document has it: the field writes some signs differently
};

} // namespace unroll
