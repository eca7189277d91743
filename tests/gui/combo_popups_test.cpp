// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/preferences_dialog.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"
#include "tests/support/tiny_experiment.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QScreen>
#include <QScrollBar>
#include <algorithm>
#include <set>

namespace unroll::test {

namespace {

/// What of the popup of a combo box keeps its last entry from being read; empty: nothing. Where the screen has no room
/// for all of them, it scrolls.
QString faultOf(QComboBox& combo)
{
    combo.showPopup();
    QCoreApplication::processEvents();
    QAbstractItemView& view = *combo.view();
    QString fault;
    const int last = combo.count() - 1;
    const QRect area = view.viewport()->rect();
    const QRect first = view.visualRect(combo.model()->index(0, combo.modelColumn(), combo.rootModelIndex()));
    const QRect entry = view.visualRect(combo.model()->index(last, combo.modelColumn(), combo.rootModelIndex()));
    const int needed = entry.bottom() + 1 + view.verticalScrollBar()->value();
    const QRect screen = combo.screen()->availableGeometry();
    const bool hasRoom = combo.count() <= combo.maxVisibleItems() && needed + 24 < screen.height();
    if (!view.isVisible())
        fault = "it does not open";
    else if (hasRoom && (first.top() < area.top() || entry.bottom() > area.bottom())) // both: nothing needs scrolling
        fault = QString("the last entry stands at %1..%2, the view ends at %3")
                    .arg(entry.top())
                    .arg(entry.bottom())
                    .arg(area.bottom());
    else if (hasRoom)
        for (const QWidget* part : view.window()->findChildren<QWidget*>())
            if (part->inherits("QComboBoxPrivateScroller") && part->isVisible())
                fault = "an arrow stands over it";
    const QRect visible(view.viewport()->mapTo(view.window(), QPoint()), area.size());
    if (fault.isEmpty() && !view.window()->rect().contains(visible))
        fault = "the view stands out of its popup";
    combo.hidePopup();
    QCoreApplication::processEvents();
    return fault;
}

} // namespace

/// The popup of every choice shows all of its entries, in each theme and with large text.
class ComboPopupsTest : public QObject {
    Q_OBJECT

    static QString checkAll(QWidget& window, std::set<QString>& seen)
    {
        for (auto* combo : window.findChildren<QComboBox*>()) {
            if (!combo->isVisible() || !combo->isEnabled() || combo->count() == 0)
                continue;
            QStringList entries;
            for (int i = 0; i < combo->count(); ++i)
                entries << combo->itemText(i);
            const QString name = combo->accessibleName() + ": " + entries.join(", ");
            if (!seen.insert(name).second)
                continue;
            if (const QString fault = faultOf(*combo); !fault.isEmpty())
                return name + ": " + fault;
        }
        return {};
    }

private Q_SLOTS:
    void allEntriesAreSeen_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("text");
        QTest::newRow("light") << false << 0;
        QTest::newRow("dark") << true << 0;
        QTest::newRow("small text") << false << 12;
        QTest::newRow("large text") << false << 20;
    }
    void allEntriesAreSeen()
    {
        QFETCH(bool, dark);
        QFETCH(int, text);
        Studio studio;
        studio.appearance.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        studio.appearance.setTextSize(text);
        studio.window.controller().step(studio.window.document().experiment(), SessionOptions{}, 1);
        std::set<QString> seen;
        for (Dock* dock : studio.window.panels().docks()) {
            dock->show();
            dock->raise();
            QVERIFY(comeToRest(studio.window));
            const QString fault = checkAll(studio.window, seen);
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
        studio.window.actions().preferences->trigger();
        const QString fault = checkAll(*studio.window.findChild<PreferencesDialog*>(), seen);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QVERIFY2(seen.size() >= 10, qPrintable(QString::number(seen.size())));
        studio.appearance.setTextSize(0);
    }

    /// The parameters of every block: one node of each that has a choice.
    void allEntriesOfAllBlocksAreSeen()
    {
        Studio studio;
        std::set<QString> seen;
        for (const BlockSpec* each : studio.registry.all()) {
            const BlockSpec& spec = *each;
            const auto choice = [](const ParamSpec& param) { return !param.choices.empty(); };
            if (std::none_of(spec.params.begin(), spec.params.end(), choice))
                continue;
            QVERIFY(studio.window.document().apply(edits::addNode(testing::makeNode(0, spec.id, "looked_at"))));
            studio.window.scene().select({studio.id("looked_at")});
            studio.window.panels().dock("inspector").raise();
            QVERIFY(comeToRest(studio.window.panel<InspectorPanel>()));
            const QString fault = checkAll(studio.window.panel<InspectorPanel>(), seen);
            QVERIFY2(fault.isEmpty(), qPrintable(QString::fromStdString(spec.id) + ' ' + fault));
            studio.window.document().undo();
        }
        QVERIFY2(seen.size() >= 10, qPrintable(QString::number(seen.size())));
    }
};

static const AreaOf<ComboPopupsTest> comboPopupsTestArea("comboPopups");

} // namespace unroll::test

#include "combo_popups_test.moc"
