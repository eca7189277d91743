// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/palette_popup.h"
#include "app/studio/window/main_window.h"
#include "core/base/mutex.h"

#include <QDeadlineTimer>
#include <QPointer>
#include <chrono>
#include <random>

class QEventLoop;
class QFileDialog;

namespace unroll::test {

/// A hand without sense on whatever windows the studio has: clicks, drags, wheels, types, presses keys, in dialogs,
/// menus and popups too. Writes below its ground alone. Keeps one to three windows open; a closed one is another's
/// beginning.
class Monkey : public QObject {
    Q_OBJECT
public:
    /// `ground`: a folder that all of its files are below; made, with experiments and a text to open.
    Monkey(StudioContext& context, QString ground, std::uint64_t seed);
    ~Monkey() override;

    /// For so long; then everything that asks or hangs over a window is called off, and the hand is open.
    void play(std::chrono::milliseconds time);
    QList<MainWindow*> windows() const; ///< those that are open

    /// What was wrong: Qt's warnings, and pictures that were not the document's. One line each.
    QStringList faults() const;
    QString story() const; ///< the last twenty acts, one a line
    int acts() const { return m_acts; }

public Q_SLOTS:
    void refuseUrl(const QUrl& url); ///< no browser, no file manager

private:
    struct Aim {
        QPointer<QWidget> top;
        QPoint at; ///< in its coordinates
    };

    // When
    void schedule();
    void next();
    bool callOff();

    // Where
    QWidget* chooseTop();
    Aim aimAt(QWidget& top);
    QPoint somewhereOn(const QWidget& top);
    QPoint onSomePart(const QWidget& top);
    QPoint onTheCanvas(MainWindow& window);

    // What
    void act();
    void click(QWidget& top);
    void doubleClick(QWidget& top);
    void press(QWidget& top);
    void moveAndMaybeRelease(QWidget& top);
    void release(const Aim& aim);
    void wheel(QWidget& top);
    void type(QWidget& top);
    void pressKeys(QWidget& top);
    void openMenu(QWidget& top);
    void arrange(QWidget& top);

    // What keeps it going, and in
    bool tend();
    void answer(QFileDialog& dialog);
    void keepInside();
    void openWindow();
    void sweep(MainWindow& window);
    void compare(MainWindow& window);

    std::size_t below(std::size_t end) { return static_cast<std::size_t>(m_bits() % end); }
    bool chance(std::size_t in) { return below(in) == 0; }
    Qt::KeyboardModifiers someModifiers();
    QWindow* keyboard(QWidget& top);
    void note(const QString& act);
    void blame(const QString& fault);
    static void hear(QtMsgType type, const QMessageLogContext& context, const QString& message);

    StudioContext& m_workshop;
    QString m_ground;
    std::mt19937_64 m_bits;
    QDeadlineTimer m_end;
    QEventLoop* m_loop = nullptr;
    bool m_scheduled = false;
    QList<int> m_levels;                      ///< of the event loops that an act is in progress in
    Qt::MouseButton m_pressed = Qt::NoButton; ///< between a press and its release
    int m_acts = 0;
    mutable Mutex m_mutex; ///< warnings come from every thread
    QStringList m_story UNROLL_GUARDED_BY(m_mutex);
    QStringList m_faults UNROLL_GUARDED_BY(m_mutex);
};

} // namespace unroll::test
