// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/number_field.h"
#include "tests/gui/fixture.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>

namespace unroll::test {

// What the tests of number fields do and see.

/// Empties the field and puts the text in, as Ctrl+V does.
inline void paste(NumberField& field, const QString& text)
{
    QApplication::clipboard()->setText(text);
    field.setFocus();
    field.selectAll();
    if (text.isEmpty())
        QTest::keyClick(&field, Qt::Key_Delete);
    else
        QTest::keySequence(&field, QKeySequence::Paste);
}

/// Words that are seen close to the field: below it or above, in its form or over what is there.
inline QString wordsAt(const NumberField& field, const QString& part, const QString& other = {})
{
    const QWidget& window = *field.window();
    const QRect place(field.mapTo(&window, QPoint()), field.size());
    const QRect around = place.adjusted(-400, -160, 400, 160);
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(part) && label->text().contains(other) &&
            around.intersects(QRect(label->mapTo(&window, QPoint()), label->size())))
            return label->text();
    return {};
}

} // namespace unroll::test
