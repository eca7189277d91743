// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QStackedWidget;

namespace unroll {

class MainWindow;
class OwnData;

/// The start page in the place of a window's canvas and panels, and what is opened from it.
class StartMode : public QObject {
    Q_OBJECT
public:
    /// `centre` holds the canvas and the start page.
    StartMode(MainWindow& window, QStackedWidget& centre);

    bool isShown() const;
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
    QStackedWidget& m_centre;
    OwnData* m_ownData;
    QByteArray m_panelsBefore; ///< empty: as the layout has them
};

} // namespace unroll
