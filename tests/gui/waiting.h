// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <QThread>
#include <QWidget>

namespace unroll::test {

// How tests of the window wait: for a condition (QTRY_VERIFY, QTest::qWaitFor) or by these. A fixed time is too long on
// most machines and too short on a busy one; test_layering.py allows QTest::qWait in this file alone.

/// Until no visible part of the window has moved in three looks, which are so many milliseconds apart; two seconds at
/// most. Layouts take several rounds of the event loop. False: it moves still.
inline bool comeToRest(const QWidget& window, int milliseconds = 10)
{
    QList<QRect> before;
    int still = 0;
    for (int passed = 0; passed < 2000 && still < 3; passed += milliseconds) {
        QTest::qWait(milliseconds);
        QList<QRect> now{window.geometry()};
        for (const QWidget* part : window.findChildren<QWidget*>())
            if (part->isVisible())
                now << part->geometry();
        still = now == before ? still + 1 : 0;
        before = now;
    }
    return still >= 3;
}

/// Whether the condition comes true in that time, while no event of the window is handled: where a wait is itself
/// within one, for what another thread does.
template <class Condition>
bool comesWithoutEvents(int milliseconds, Condition holds)
{
    for (int passed = 0; passed < milliseconds && !holds(); passed += 10)
        QThread::msleep(10);
    return holds();
}

/// Whether the condition holds now and for so long: for what must not happen, which nothing announces.
template <class Condition>
bool staysFor(int milliseconds, Condition holds)
{
    return !QTest::qWaitFor([&] { return !holds(); }, milliseconds);
}

} // namespace unroll::test
