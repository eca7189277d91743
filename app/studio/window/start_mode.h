// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace unroll {

class MainWindow;
class OwnData;
class WindowCentre;

/// The start page in the place of a window's canvas and panels, and what is opened from it.
class StartMode : public QObject {
    Q_OBJECT
public:
    /// `centre` holds the canvas and the start page.
    StartMode(MainWindow& window, WindowCentre& centre);

    bool isShown() const;
    /// Without panels. Whatever shows or changes the experiment brings the canvas back, and the panels as they were.
    void show();
    void leave();   ///< panels come back as they were
    void uncover(); ///< without them
    /// An experiment on this file. Null: there is none, and the window says why.
    MainWindow* openData(const QString& path);

Q_SIGNALS:
    void changed(); ///< it came or went

private:
    void connectPage();
    void openEmpty();

    MainWindow& m_window;
    WindowCentre& m_centre;
    OwnData* m_ownData;
    QByteArray m_panelsBefore; ///< empty: as the layout has them
};

} // namespace unroll
