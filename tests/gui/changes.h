// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/run_folder.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"
#include "tests/support/tiny_experiment.h"
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QToolButton>
#include <cmath>

namespace unroll::test {

// What the tests of edits during a run share.

inline QPushButton* answer(Studio& studio, const QString& label)
{
    return buttonIn(studio.window.messages(), label);
}

inline bool choose(Studio& studio, const QString& label)
{
    return clickOn(studio.window.messages(), label);
}

inline void setUnits(Studio& studio, std::int64_t units)
{
    QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", units)));
    QTRY_VERIFY(studio.window.document().checked()->runnable());
}

/// A key goes to whatever has the keyboard, as from a hand.
inline void keyToFocus(Qt::Key key)
{
    QVERIFY(QApplication::focusWidget() != nullptr);
    QTest::keyClick(QApplication::focusWidget(), key);
}

inline QLabel* changesLabel(Studio& studio)
{
    for (auto* label : studio.window.runBar().findChildren<QLabel*>())
        if (label->text().startsWith("Edits"))
            return label;
    return nullptr;
}

inline QString runText(Studio& studio)
{
    return studio.window.actions().run->text();
}

/// A run in progress, with an edit that it does not train.
inline void editDuringARun(Studio& studio)
{
    studio.window.canvas().setFocus();
    studio.key(Qt::Key_F5);
    QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
    setUnits(studio, 40);
}

} // namespace unroll::test
