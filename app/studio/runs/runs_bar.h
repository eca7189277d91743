// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/run_summary.h"

#include <QComboBox>
#include <QLineEdit>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

class QAction;
class QBoxLayout;
class QMenu;
class QToolButton;

namespace unroll {

class Appearance;

/// The titles of the runs' experiments, each once, in their order, and how many runs it has. What cannot be read has
/// none.
std::vector<std::pair<QString, int>> experimentsOf(const std::vector<RunSummary>& runs);

/// What is listed: words and an experiment to filter by, commands, and the columns. One line, or two where the panel is
/// narrow.
class RunsBar : public QWidget {
    Q_OBJECT
public:
    RunsBar(const Appearance& appearance, const QList<QAction*>& actions, QWidget* parent = nullptr);

    QLineEdit& filterField() const { return *m_words; }
    QComboBox& experiments() const { return *m_experiments; }
    QMenu& columnsMenu() const { return *m_columns; }
    /// Offers these; the one that is chosen stays, as long as it is there. The list is seen where there are several.
    void setExperiments(const std::vector<std::pair<QString, int>>& experiments);
    std::optional<QString> experiment() const; ///< nothing: all
    QSize minimumSizeHint() const override;    ///< of the two lines

Q_SIGNALS:
    void experimentChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeFilter(const Appearance& appearance);
    QWidget* makeButtons(const Appearance& appearance, const QList<QAction*>& actions);
    void fold();

    QBoxLayout* m_row;
    QLineEdit* m_words = nullptr;
    QComboBox* m_experiments = nullptr;
    QMenu* m_columns = nullptr;
    std::vector<std::pair<QString, int>> m_offered;
    QWidget* m_filter;
    QWidget* m_buttons;
};

} // namespace unroll
