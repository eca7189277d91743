// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"

#include <QCheckBox>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

namespace unroll::test {

namespace {

QMenu* openMenu(Studio& studio)
{
    return studio.window.findChild<QMenu*>("contextMenu");
}

void chooseEntry(QMenu* menu, const QString& name)
{
    QTRY_VERIFY(menu->isVisible());
    for (QAction* action : menu->actions())
        if (action->objectName() == name) {
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            return;
        }
    QFAIL(qPrintable("the menu has no " + name));
}

QStringList entriesOf(const QMenu& menu)
{
    QStringList names;
    for (const QAction* action : menu.actions())
        if (!action->isSeparator())
            names << action->objectName();
    return names;
}

} // namespace

class GroupsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGroupIsMadeEnteredLeftAndUnpacked()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        const Graph before = studio.graph();
        choose(studio, {"lstm", "lstm_2"});
        press(studio, Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(namesOf(studio.graph(), scene.selection()), std::set<std::string>{"group"});
        isOneStep(studio, before);
        const Graph grouped = studio.graph();
        choose(studio, std::vector<std::string>{"group"});
        studio.window.actions().enterGroup->trigger();
        QCOMPARE(scene.path(), GroupPath{studio.id("group")});
        QVERIFY(scene.selection().empty()); // the number of the group may be another node's inside
        auto* breadcrumb = studio.window.canvas().findChild<QWidget*>("breadcrumb");
        QVERIFY(breadcrumb->isVisible());
        const auto up = breadcrumb->findChildren<QToolButton*>();
        QCOMPARE(up.size(), 1);
        QCOMPARE(up.front()->text(), QString("Graph"));
        QTest::mouseClick(up.front(), Qt::LeftButton);
        QVERIFY(scene.path().empty());
        QVERIFY(!breadcrumb->isVisible());
        QCOMPARE(namesOf(studio.graph(), scene.selection()), std::set<std::string>{"group"}); // where we come from
        press(studio, Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(namesOf(studio.graph(), scene.selection()), (std::set<std::string>{"lstm", "lstm_2"}));
        QVERIFY(isWired(studio.graph(), "embedding", "y", "lstm", "x") &&
                isWired(studio.graph(), "lstm", "y", "lstm_2", "x") &&
                isWired(studio.graph(), "lstm_2", "y", "head", "x"));
        QCOMPARE(placeOf(studio.graph(), "lstm_2"), placeOf(before, "lstm_2"));
        isOneStep(studio, grouped);
    }

    void theBreadcrumbGoesToAnyLevel()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        makeGroup(studio, {"lstm_2"}, "inner");
        makeGroup(studio, {"inner"}, "outer");
        const NodeId outer = studio.id("outer");
        scene.enter(outer);
        const NodeId inner = scene.shown().findByName("inner")->id;
        scene.enter(inner);
        auto* breadcrumb = studio.window.canvas().findChild<QWidget*>("breadcrumb");
        const auto buttons = [&] {
            QList<QToolButton*> shown;
            for (QToolButton* button : breadcrumb->findChildren<QToolButton*>())
                if (button->isVisible())
                    shown << button;
            return shown;
        };
        QCOMPARE(buttons().size(), 2);
        for (const QToolButton* button : buttons())
            QTRY_VERIFY(button->width() >= button->sizeHint().width() &&
                        breadcrumb->rect().contains(button->geometry()));
        QVERIFY(studio.window.document().apply(edits::renameNode(outer, "encoder")));
        QCOMPARE(buttons().back()->text(), QString("encoder"));
        QTest::mouseClick(buttons().back(), Qt::LeftButton);
        QCOMPARE(scene.path(), GroupPath{outer});
        QTRY_VERIFY(studio.window.canvas().hasFocus());
        scene.enter(inner);
        buttons().front()->setFocus();
        QTest::keyClick(buttons().front(), Qt::Key_Space);
        QVERIFY(scene.path().empty());
    }

    void repeatAndSharedWeightsAreSetInTheInspector()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        const Graph before = studio.graph();
        choose(studio, std::vector<std::string>{"body"});
        ParamForm& form = studio.window.panel<InspectorPanel>().page()->findChild<GroupForm*>()->form();
        auto* repeat = form.editor("repeat")->findChild<NumberField*>();
        const auto group = [&] { return studio.graph().findByName("body")->group; };
        repeat->setFocus();
        repeat->selectAll();
        QTest::keyClicks(repeat, "13");
        QTest::keyClick(repeat, Qt::Key_Backspace);
        QTest::keyClick(repeat, Qt::Key_Backspace);
        QTest::keyClicks(repeat, "3");
        QTest::keyClick(repeat, Qt::Key_Return);
        QCOMPARE(group()->repeat, 3);
        QCOMPARE(studio.item("body").face().repeat, 3);
        isOneStep(studio, before);
        const Graph repeated = studio.graph();
        auto* shared = form.editor("shared_weights")->findChild<QCheckBox*>();
        QTest::mouseClick(shared, Qt::LeftButton, {}, {7, shared->height() / 2});
        QVERIFY(group()->sharedWeights);
        QCOMPARE(group()->repeat, 3);
        isOneStep(studio, repeated);
        repeat->selectAll();
        QTest::keyClicks(repeat, "0");
        QVERIFY(repeat->property("wrong").toBool());
        QVERIFY(studio.window.messages().shownText().contains("at least 1"));
        QTest::keyClick(repeat, Qt::Key_Return);
        QVERIFY(!repeat->property("wrong").toBool());
        QCOMPARE(repeat->text(), QString("3"));
        QCOMPARE(group()->repeat, 3);
        const Graph sharing = studio.graph();
        auto* reversible = form.editor("reversible")->findChild<QCheckBox*>();
        QTest::mouseClick(reversible, Qt::LeftButton, {}, {7, reversible->height() / 2});
        QVERIFY(group()->reversible);
        QVERIFY(group()->sharedWeights);
        QCOMPARE(group()->repeat, 3);
        isOneStep(studio, sharing);
    }

    void theInspectorEntersAndUnpacks()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        makeGroup(studio, {"lstm_2"}, "body");
        choose(studio, std::vector<std::string>{"body"});
        const auto page = [&] { return studio.window.panel<InspectorPanel>().page(); };
        QStringList names;
        for (const QLineEdit* field : page()->findChild<GroupForm*>()->promoted().findChildren<QLineEdit*>())
            names << field->text();
        QCOMPARE(names, (QStringList{"x", "y"}));
        QVERIFY(says(*page()->findChild<GroupForm*>(), "lstm_2.x") &&
                says(*page()->findChild<GroupForm*>(), "lstm_2.y"));
        QTest::mouseClick(page()->findChild<GroupForm*>()->findChild<QPushButton*>("enter"), Qt::LeftButton);
        QCOMPARE(scene.path(), GroupPath{studio.id("body")});
        scene.leave();
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, true)));
        const Graph repeated = studio.graph();
        QTest::mouseClick(page()->findChild<GroupForm*>()->findChild<QPushButton*>("unpack"), Qt::LeftButton);
        QVERIFY(studio.graph() == repeated);
        QVERIFY(studio.window.messages().shownText().contains("share one set of weights"));
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 1, false)));
        const Graph single = studio.graph();
        QTest::mouseClick(page()->findChild<GroupForm*>()->findChild<QPushButton*>("unpack"), Qt::LeftButton);
        QCOMPARE(namesOf(studio.graph(), scene.selection()), std::set<std::string>{"lstm_2"});
        QVERIFY(page() != nullptr && page()->findChild<GroupForm*>() == nullptr); // the node that came out is shown
        isOneStep(studio, single);
    }

    void theMenuKnowsWhatIsUnderIt()
    {
        Studio studio;
        GraphScene& scene = studio.window.scene();
        makeGroup(studio, {"lstm_2"}, "body");
        choose(studio, {"text", "head"});
        studio.window.canvas().menuAsked(studio.headerOf("embedding"));
        QCOMPARE(namesOf(studio.graph(), scene.selection()), std::set<std::string>{"embedding"});
        QMenu* menu = openMenu(studio);
        QCOMPARE(entriesOf(*menu), (QStringList{"cut", "copy", "duplicate", "delete", "deleteAndReconnect", "connect",
                                                "rename", "comment", "group", "compareCells", "tidy"}));
        const Graph before = studio.graph();
        chooseEntry(menu, "deleteAndReconnect");
        QVERIFY(isWired(studio.graph(), "text", "tokens", "lstm", "x"));
        isOneStep(studio, before);
        QTRY_VERIFY(openMenu(studio) == nullptr);
        choose(studio, {"head", "body"});
        studio.window.canvas().menuAsked(studio.headerOf("body")); // among the selected: all of them are meant
        QCOMPARE(scene.selection().size(), std::size_t{2});
        QVERIFY(entriesOf(*openMenu(studio)).contains("unpackGroup"));
        QVERIFY(!entriesOf(*openMenu(studio)).contains("enterGroup")); // of one alone
        openMenu(studio)->close();
        QTRY_VERIFY(openMenu(studio) == nullptr);
    }

    void pasteFromTheMenuGoesWhereItWasOpened()
    {
        Studio studio;
        choose(studio, std::vector<std::string>{"lstm"});
        press(studio, Qt::Key_C, Qt::ControlModifier);
        const QPointF place = snapped(studio.window.canvas().mapToScene(QPoint(60, 40)));
        studio.window.canvas().menuAsked({60, 40});
        aimAt(studio, {120, 90}); // the cursor goes to the entry
        QCOMPARE(entriesOf(*openMenu(studio)), (QStringList{"pasteHere", "pasteWithInputsHere", "addBlock", "comment",
                                                            "tidy", "selectAll", "fitAll", "savePicture"}));
        chooseEntry(openMenu(studio), "pasteHere");
        QCOMPARE(placeOf(studio.graph(), "lstm_3"), place);
    }

    void theMenuKeyOpensIt()
    {
        Studio studio;
        choose(studio, std::vector<std::string>{"lstm"});
        press(studio, Qt::Key_Menu, Qt::NoModifier);
        QVERIFY(openMenu(studio) != nullptr);
        QVERIFY(entriesOf(*openMenu(studio)).contains("duplicate"));
        openMenu(studio)->close();
        QTRY_VERIFY(openMenu(studio) == nullptr);
        studio.window.scene().select({});
        press(studio, Qt::Key_F10, Qt::ShiftModifier);
        QVERIFY(entriesOf(*openMenu(studio)).contains("pasteHere"));
    }

    void commandsFollowTheSelection()
    {
        Studio studio;
        const WindowActions& actions = studio.window.actions();
        makeGroup(studio, {"lstm_2"}, "body");
        const QList<QAction*> onNodes{
            actions.cut, actions.copy, actions.duplicate, actions.remove, actions.removeAndReconnect, actions.group};
        const auto are = [](const QList<QAction*>& list, bool enabled) {
            return std::all_of(list.begin(), list.end(),
                               [=](QAction* action) { return action->isEnabled() == enabled; });
        };
        QVERIFY(are(onNodes, false));
        QVERIFY(are({actions.unpackGroup, actions.enterGroup}, false));
        choose(studio, std::vector<std::string>{"lstm"});
        QVERIFY(are(onNodes, true));
        QVERIFY(are({actions.unpackGroup, actions.enterGroup}, false));
        choose(studio, {"lstm", "body"});
        QVERIFY(actions.unpackGroup->isEnabled() && !actions.enterGroup->isEnabled());
        choose(studio, std::vector<std::string>{"body"});
        QVERIFY(actions.unpackGroup->isEnabled() && actions.enterGroup->isEnabled());
        press(studio, Qt::Key_Delete, Qt::NoModifier);
        QVERIFY(are(onNodes, false));
        QVERIFY(are({actions.unpackGroup, actions.enterGroup}, false));
    }
};

static const AreaOf<GroupsTest> groupsTestArea("groups");

} // namespace unroll::test

#include "groups_test.moc"
