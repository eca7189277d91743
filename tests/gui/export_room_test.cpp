// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_dialog.h"
#include "tests/gui/area.h"
#include "tests/gui/states.h"

#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

namespace unroll::test {

class ExportRoomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The form scrolls, and what ends the dialog and what has the keyboard are seen.
    void aScreenThatIsTooLowScrolls()
    {
        Studio studio;
        const auto states = exportStates();
        const auto asked = std::find_if(states.begin(), states.end(),
                                        [](const StudioState& state) { return state.name == "export-overwrite"; });
        QVERIFY(asked != states.end());
        asked->reach(studio);
        auto& dialog = *studio.window.findChild<ExportDialog*>();
        const QScrollBar& bar = *dialog.findChild<QScrollArea*>()->verticalScrollBar();
        QTRY_COMPARE(bar.maximum(), 0); // it had the room
        dialog.setMaximumHeight(300);
        QTRY_VERIFY(bar.maximum() > 0);
        for (const QPushButton* button : dialog.findChildren<QPushButton*>()) {
            const QString words = QString(button->text()).remove('&');
            if (words == "Close" || words == "Keep")
                QVERIFY2(!button->visibleRegion().isEmpty(), qPrintable(words));
        }
    }
};

static const AreaOf<ExportRoomTest> exportRoomTestArea("export-room");

} // namespace unroll::test

#include "export_room_test.moc"
