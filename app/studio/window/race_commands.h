// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/race/race_dialog.h"

#include <QPointer>

namespace unroll {

class MainWindow;
class RacePanel;

/// What a window does about races: asks for one of what is selected, shows one, opens its runs.
class RaceCommands : public QObject {
    Q_OBJECT
public:
    explicit RaceCommands(MainWindow& window);

    /// Shows the race of a folder in its panel.
    void open(const QString& folder);
    /// The dialog for the node that is selected; nullptr: nothing there can be compared.
    RaceDialog* showDialog();
    RaceDialog* dialog() const { return m_dialog; } ///< nullptr: none is open

private:
    std::vector<RacePlace> places() const;
    QString newFolder(const RacePlace& place) const;
    void refresh();
    void train(const QString& folder, int parallel);
    void openRun(const QString& folder, const QString& beside = {});

    MainWindow& m_window;
    RacePanel& m_panel;
    QPointer<RaceDialog> m_dialog;
};

} // namespace unroll
