// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/run_difference.h"

#include <QDialog>
#include <QTreeWidget>

class QLabel;

namespace unroll {

/// A side of a difference in words: what is not there, and what is empty, are said.
QString sideText(const std::optional<std::string>& side);
/// Lines with tabs between, headings first: for tables elsewhere.
QString comparisonText(const QString& first, const QString& second, const std::vector<RunDifference>& differences);

/// What two runs have set otherwise, a row each. Holds up nothing; goes when it is closed.
class RunComparison : public QDialog {
    Q_OBJECT
public:
    RunComparison(const QString& first, const QString& second, const std::vector<RunDifference>& differences,
                  QWidget* parent);

    const QTreeWidget& table() const { return *m_table; }
    QString shownText() const; ///< the sentence above the table

private:
    QTreeWidget* m_table;
    QLabel* m_words;
};

} // namespace unroll
