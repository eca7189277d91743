// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/remote/remote_session.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStringList>
#include <functional>
#include <thread>

namespace unroll {

/// Asks where runs of this window are trained: this computer, or a line that leads to another (remote_session.h). Lists
/// the runs there, one of which can be attached to.
class RunOnDialog : public QDialog {
    Q_OBJECT
public:
    /// `lines`: those that were used; `line`: the one in force, empty: this computer.
    using PlaceOf = std::function<RemotePlace(const QString& line)>;
    RunOnDialog(const QStringList& lines, const QString& line, PlaceOf placeOf, QWidget* parent);
    ~RunOnDialog() override;

    QString line() const; ///< empty: this computer

Q_SIGNALS:
    void runAsked(const QString& line);    ///< begin a run there, and those that follow
    void placeChosen(const QString& line); ///< those that follow alone
    void attachAsked(const QString& line, const QString& run);

private:
    QWidget* makeRuns();
    void listRuns();
    void showRuns(int question, const Result<std::vector<RemoteRun>>& runs);
    void refresh();

    PlaceOf m_placeOf;
    QComboBox* m_line;
    QListWidget* m_runs;
    QLabel* m_words;
    QPushButton *m_list, *m_attach;
    int m_question = 0; ///< the newest
    std::jthread m_asking;
};

} // namespace unroll
