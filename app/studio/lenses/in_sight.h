// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

class QDockWidget;
class QWidget;

namespace unroll {

/// Whether a widget can be seen: it is shown, and its dock does not stand behind the tab of another one. Belongs to the
/// widget, which deletes it first of all as it goes.
class InSight : public QObject {
    Q_OBJECT
public:
    explicit InSight(QWidget& of);

    bool isSeen() const { return m_seen; }

Q_SIGNALS:
    void changed(bool seen);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void findDock();
    void look();

    QWidget& m_of;
    QPointer<QDockWidget> m_dock;
    bool m_inFront = true;
    bool m_seen = false;
};

} // namespace unroll
