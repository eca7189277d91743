// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <QThread>
#include <QWidget>
#include <utility>

// Qt's own give up after 5 s.
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT((condition), unroll::test::kPatience)
#define QTRY_VERIFY2(condition, words) QTRY_VERIFY2_WITH_TIMEOUT((condition), (words), unroll::test::kPatience)
#define QTRY_COMPARE(found, wanted) QTRY_COMPARE_WITH_TIMEOUT((found), (wanted), unroll::test::kPatience)

namespace unroll::test {

// How tests of the window wait: for a condition (QTRY_VERIFY, comes()) or by these. A fixed time is too long on
// most machines and too short on a busy one; test_layering.py allows QTest::qWait in this file alone.

/// Milliseconds that a condition may take to come true on a busy machine. A test that passes never waits as long.
constexpr int kPatience = 90'000;

/// Whether the condition comes true, while events are handled.
template <class Condition>
[[nodiscard]] bool comes(Condition holds)
{
    return QTest::qWaitFor(std::move(holds), kPatience);
}

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
