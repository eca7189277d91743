// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters and ports of groups in the inspector: shown by the group, set by it, renamed, moved, taken back; a group
// unrolled.
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/forms.h"

#include <QPushButton>
#include <QToolButton>

namespace unroll::test {

namespace {

using edits::Promoted;

NodePage& page(Studio& studio)
{
    return *studio.window.panel<InspectorPanel>().page();
}

/// Shows the inside of the groups, and the node there.
ParamForm& formInside(Studio& studio, const std::vector<std::string>& groups, const std::string& node)
{
    GraphScene& scene = studio.window.scene();
    scene.goTo({});
    for (const std::string& group : groups)
        scene.enter(scene.shown().findByName(group)->id);
    scene.select({scene.shown().findByName(node)->id});
    return page(studio).form();
}

QToolButton* buttonOf(const QWidget& widget, const QString& words)
{
    QCoreApplication::processEvents(); // what was added has its place by then
    for (QToolButton* button : widget.findChildren<QToolButton*>())
        if (button->accessibleName() == words && button->isVisibleTo(&widget))
            return button;
    return nullptr;
}

void typeInto(QWidget* field, QLineEdit* line, const QString& text)
{
    field->setFocus();
    line->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
}

/// The row of a name in the list of what the selected group shows.
QLineEdit* nameField(Studio& studio, const QString& name)
{
    for (QLineEdit* field : page(studio).findChild<GroupForm*>()->promoted().findChildren<QLineEdit*>())
        if (field->text() == name && field->isVisible())
            return field;
    return nullptr;
}

QStringList shownNames(Studio& studio)
{
    QStringList names;
    for (const QLineEdit* field : page(studio).findChild<GroupForm*>()->promoted().findChildren<QLineEdit*>())
        if (field->isVisible())
            names << field->text();
    return names;
}

const Group& groupNamed(Studio& studio, const std::string& name)
{
    return *studio.graph().findByName(name)->group;
}

/// "body" around lstm_2, which shows its units and sets 64 of them.
struct SetByGroup {
    Studio studio;

    SetByGroup()
    {
        makeGroup(studio, {"lstm_2"}, "body");
        const NodeId body = studio.id("body"), lstm = groupNamed(studio, "body").graph->findByName("lstm_2")->id;
        Document& document = studio.window.document();
        QVERIFY(document.apply(edits::showParam({body}, lstm, "units")));
        QVERIFY(document.apply(edits::setParam(body, "units", std::int64_t{64})));
    }
    const Node& inner() { return *groupNamed(studio, "body").graph->findByName("lstm_2"); }
};

} // namespace

class PromotingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aValueThatAGroupSetsIsShownAndNotEdited()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        const Graph before = studio.graph();
        ParamForm& form = formInside(studio, {"body"}, "lstm_2");
        NumberField* units = numberIn(form, "units");
        QVERIFY(desk.inner().params.at("units") != ParamValue(std::int64_t{64}));
        QCOMPARE(units->text(), QString("64")); // what counts, and not its own
        QVERIFY(says(form, "Set by group body: 64"));
        QVERIFY(!units->isEnabled());
        QVERIFY(buttonOf(form, "Reset units") == nullptr);
        QTest::mouseClick(units, Qt::LeftButton);
        QTest::keyClicks(units, "8");
        QVERIFY(studio.graph() == before);
        QVERIFY(form.editor("learning_rate_scale")->isEnabled());
        const NodeId id = studio.window.scene().shown().findByName("lstm_2")->id;
        QVERIFY2(studio.window.scene().node(id)->face().summary.startsWith("units 64"),
                 qPrintable(studio.window.scene().node(id)->face().summary));
    }

    void whoSetsAValueIsShown()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        for (const bool byMouse : {true, false}) {
            ParamForm& form = formInside(studio, {"body"}, "lstm_2");
            QPushButton* go = buttonIn(form, "Go to body");
            QVERIFY(go != nullptr);
            if (byMouse) {
                QTest::mouseClick(go, Qt::LeftButton);
            } else {
                go->setFocus();
                QTest::keyClick(go, Qt::Key_Space);
            }
            QVERIFY(studio.window.scene().path().empty());
            QCOMPARE(namesOf(studio.graph(), studio.window.scene().selection()), std::set<std::string>{"body"});
            NumberField* units = numberIn(page(studio).form(), "units");
            QVERIFY(units->hasFocus());
            QVERIFY(units->isEnabled());
        }
        typeInto(numberIn(page(studio).form(), "units"),
                 numberIn(page(studio).form(), "units")->findChild<QLineEdit*>(), "48");
        QVERIFY(says(formInside(studio, {"body"}, "lstm_2"), "Set by group body: 48"));
    }

    void theOutermostGroupThatSetsItIsNamed()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        Document& document = studio.window.document();
        makeGroup(studio, {"body"}, "outer");
        const NodeId outer = studio.id("outer"), body = groupNamed(studio, "outer").graph->findByName("body")->id;
        QVERIFY(document.apply(edits::promoteParam(outer, {"width", body, "units"})));
        QVERIFY(says(formInside(studio, {"outer", "body"}, "lstm_2"), "Set by group outer.body: 64"));
        QVERIFY(document.apply(edits::setParam(outer, "width", std::int64_t{96})));
        QVERIFY(says(page(studio).form(), "Set by group outer, as width: 96"));
        ParamForm& ofBody = formInside(studio, {"outer"}, "body");
        QCOMPARE(numberIn(ofBody, "units")->text(), QString("96"));
        QVERIFY(!numberIn(ofBody, "units")->isEnabled());
        document.undo(); // nobody sets it any more but body
        QCOMPARE(numberIn(page(studio).form(), "units")->text(), QString("64"));
        QVERIFY(numberIn(page(studio).form(), "units")->isEnabled());
    }

    void aParameterIsPromotedByMouseAndByKeyboard()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        QVERIFY(buttonOf(page(studio).form(), "Promote units") == nullptr); // there is no group around
        makeGroup(studio, {"lstm", "lstm_2"}, "body");
        const Graph before = studio.graph();
        ParamForm& form = formInside(studio, {"body"}, "lstm_2");
        QToolButton* units = buttonOf(form, "Promote units");
        QVERIFY(!units->isChecked());
        QCOMPARE(units->toolTip(), QString("Expose units as a parameter of the group body"));
        QTest::mouseClick(units, Qt::LeftButton);
        QVERIFY(units->isChecked());
        QVERIFY2(units->toolTip().contains("as units on the group body"), qPrintable(units->toolTip()));
        QCOMPARE(groupNamed(studio, "body").params.size(), std::size_t{1});
        isOneStep(studio, before);
        const Graph one = studio.graph();
        QVERIFY(numberIn(form, "units")->isEnabled()); // the group shows it and sets nothing
        ParamForm& other = formInside(studio, {"body"}, "lstm");
        QToolButton* otherUnits = buttonOf(other, "Promote units");
        otherUnits->setFocus();
        QTest::keyClick(otherUnits, Qt::Key_Space);
        QCOMPARE(groupNamed(studio, "body").params.back().name, std::string("lstm_units"));
        QVERIFY(otherUnits->isChecked() && otherUnits->hasFocus());
        isOneStep(studio, one);
        QTest::keyClick(otherUnits, Qt::Key_Space);
        QVERIFY(studio.graph() == one);
    }

    void takingItBackKeepsTheValueThatCounts()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        const Graph before = studio.graph();
        ParamForm& form = formInside(studio, {"body"}, "lstm_2");
        QTest::mouseClick(buttonOf(form, "Promote units"), Qt::LeftButton);
        QCOMPARE(desk.inner().params.at("units"), ParamValue(std::int64_t{64}));
        QVERIFY(groupNamed(studio, "body").params.empty());
        QVERIFY(!studio.graph().findByName("body")->params.contains("units"));
        QVERIFY(numberIn(form, "units")->isEnabled());
        isOneStep(studio, before);
    }

    void theFormOfAGroupFollowsWhatItShows()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        studio.window.scene().select({studio.id("body")});
        QVERIFY(page(studio).form().editor("units") != nullptr);
        QTest::mouseClick(buttonOf(page(studio).findChild<GroupForm*>()->promoted(), "Remove units"), Qt::LeftButton);
        QVERIFY(page(studio).form().editor("units") == nullptr);
        QCOMPARE(desk.inner().params.at("units"), ParamValue(std::int64_t{64}));
        studio.window.document().undo();
        QVERIFY(page(studio).form().editor("units") != nullptr);
        QCOMPARE(numberIn(page(studio).form(), "units")->text(), QString("64"));
    }

    void whatAGroupShowsIsRenamed()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        studio.window.scene().select({studio.id("body")});
        const Graph before = studio.graph();
        QLineEdit* x = nameField(studio, "x");
        typeInto(x, x, "entry");
        QVERIFY(isWired(studio.graph(), "lstm", "y", "body", "entry"));
        isOneStep(studio, before);
        const Graph renamed = studio.graph();
        QLineEdit* units = nameField(studio, "units");
        typeInto(units, units, "size");
        QCOMPARE(studio.graph().findByName("body")->params.at("size"), ParamValue(std::int64_t{64}));
        QCOMPARE(numberIn(page(studio).form(), "size")->text(), QString("64"));
        isOneStep(studio, renamed);
        const Graph both = studio.graph();
        QLineEdit* y = nameField(studio, "y");
        typeInto(y, y, "two words");
        QVERIFY(studio.window.messages().shownText().contains("cannot name a port"));
        QCOMPARE(y->text(), QString("y"));
        y->selectAll();
        QTest::keyClick(y, Qt::Key_Backspace);
        QTest::keyClick(y, Qt::Key_Return);
        QCOMPARE(y->text(), QString("y"));
        QVERIFY(studio.graph() == both);
        y->setFocus();
        QTest::keyClick(y, Qt::Key_Z, Qt::ControlModifier); // nothing typed: the document's
        QVERIFY(studio.graph() == renamed);
    }

    /// One field for two values that differ says so, until it sets both.
    void parametersOfOneNameAreSetTogether()
    {
        Studio studio;
        Document& document = studio.window.document();
        makeGroup(studio, {"lstm", "lstm_2"}, "body");
        const NodeId body = studio.id("body");
        std::int64_t units = 32;
        for (const char* name : {"lstm", "lstm_2"}) {
            const NodeId node = groupNamed(studio, "body").graph->findByName(name)->id;
            QVERIFY(document.apply(edits::inside({body}, edits::setParam(node, "units", units))));
            QVERIFY(document.apply(edits::promoteParam(body, {"units", node, "units"})));
            units *= 2;
        }
        studio.window.scene().select({body});
        NumberField* field = numberIn(page(studio).form(), "units");
        QCOMPARE(field->text(), QString());
        QCOMPARE(field->findChild<QLineEdit*>()->placeholderText(), QString("mixed"));
        QVERIFY(says(page(studio).findChild<GroupForm*>()->promoted(), "lstm.units, lstm_2.units"));
        typeInto(field, field->findChild<QLineEdit*>(), "48");
        QCOMPARE(field->text(), QString("48"));
        QVERIFY(says(formInside(studio, {"body"}, "lstm"), "Set by group body: 48"));
        QVERIFY(says(formInside(studio, {"body"}, "lstm_2"), "Set by group body: 48"));
    }

    void whatAGroupShowsIsMoved()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        const NodeId lstm = desk.inner().id, body = studio.id("body");
        QVERIFY(studio.window.document().apply(edits::promoteInput(body, {"state", {lstm, "state"}})));
        studio.window.scene().select({body});
        const Graph before = studio.graph();
        QCOMPARE(shownNames(studio), (QStringList{"x", "state", "y", "units"}));
        PromotedList& list = page(studio).findChild<GroupForm*>()->promoted();
        QVERIFY(!buttonOf(list, "Move x up")->isEnabled() && !buttonOf(list, "Move y down")->isEnabled());
        QTest::mouseClick(buttonOf(list, "Move x down"), Qt::LeftButton);
        QCOMPARE(shownNames(studio), (QStringList{"state", "x", "y", "units"}));
        QCOMPARE(groupNamed(studio, "body").inputs.front().name, std::string("state"));
        isOneStep(studio, before);
        QToolButton* up = buttonOf(list, "Move x up");
        up->setFocus();
        QTest::keyClick(up, Qt::Key_Space);
        QVERIFY(studio.graph() == before);
        QVERIFY(buttonOf(list, "Move x down")->hasFocus()); // it is at the top, and the keyboard stays with it
    }

    void whatAGroupShowsIsTakenBack()
    {
        SetByGroup desk;
        Studio& studio = desk.studio;
        studio.window.scene().select({studio.id("body")});
        const Graph before = studio.graph();
        QToolButton* back = buttonOf(page(studio).findChild<GroupForm*>()->promoted(), "Remove x");
        back->setFocus();
        QTest::keyClick(back, Qt::Key_Space);
        QVERIFY(groupNamed(studio, "body").inputs.empty());
        QVERIFY(!isWired(studio.graph(), "lstm", "y", "body", "x"));
        QCOMPARE(shownNames(studio), (QStringList{"y", "units"}));
        QVERIFY(buttonOf(page(studio).findChild<GroupForm*>()->promoted(), "Remove y")->hasFocus());
        isOneStep(studio, before);
    }

    /// A button gives a parameter a value for each copy; in the text that it then is, a plain value ends that.
    void valuesMayDifferByCopy()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        QVERIFY(buttonOf(formInside(studio, {"body"}, "lstm_2"), "units by copy") == nullptr); // not repeated
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, false)));
        const Graph before = studio.graph();
        const auto value = [&] { return groupNamed(studio, "body").graph->findByName("lstm_2")->params.at("units"); };
        const std::int64_t units = std::get<std::int64_t>(value());
        ParamForm& form = formInside(studio, {"body"}, "lstm_2");
        QToolButton* byCopy = buttonOf(form, "units by copy");
        QTest::mouseClick(byCopy, Qt::LeftButton);
        QCOMPARE(value(), ParamValue(ByCopy{ByCopy::Rule::List, 0, {units, units, units}}));
        QVERIFY(byCopy->isChecked());
        isOneStep(studio, before);
        auto* line = form.editor("units")->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(line != nullptr && line->isVisible() && !numberIn(form, "units")->isVisible());
        typeInto(line, line, "48 last 1 else 24");
        QCOMPARE(value(), ParamValue(ByCopy{ByCopy::Rule::Last, 1, {std::int64_t{48}, std::int64_t{24}}}));
        QVERIFY(says(form, "24, 24, 48"));
        const ParamValue rule = value();
        typeInto(line, line, "48 last many");
        QVERIFY(says(form, "units must be a whole number; it is '48 last many'"));
        QCOMPARE(value(), rule);
        QCOMPARE(line->text(), QString("48 last 1 else 24"));
        typeInto(line, line, "64");
        QCOMPARE(value(), ParamValue(std::int64_t{64}));
        QVERIFY(!line->isVisible() && numberIn(form, "units")->isVisible() && !byCopy->isChecked());
        studio.window.document().undo();
        QTest::mouseClick(byCopy, Qt::LeftButton); // what the first copy has
        QCOMPARE(value(), ParamValue(std::int64_t{24}));
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, true)));
        QVERIFY(buttonOf(form, "units by copy") == nullptr); // one set of weights
    }

    void aRepeatedGroupIsUnrolled()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        const auto unroll = [&] { return page(studio).findChild<GroupForm*>()->findChild<QPushButton*>("unroll"); };
        choose(studio, {"body"});
        QVERIFY(!unroll()->isVisible());
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, false)));
        const Graph repeated = studio.graph();
        QVERIFY(unroll()->isVisible());
        QTest::mouseClick(unroll(), Qt::LeftButton);
        QCOMPARE(namesOf(studio.graph(), studio.window.scene().selection()),
                 (std::set<std::string>{"body_1", "body_2", "body_3"}));
        isOneStep(studio, repeated);
        studio.window.document().undo();
        studio.window.scene().select({studio.id("body")});
        unroll()->setFocus();
        QTest::keyClick(unroll(), Qt::Key_Space);
        QVERIFY(isWired(studio.graph(), "body_2", "y", "body_3", "x"));
        studio.window.document().undo();
        QVERIFY(studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, true)));
        studio.window.scene().select({studio.id("body")});
        const Graph shared = studio.graph();
        QTest::mouseClick(unroll(), Qt::LeftButton);
        QVERIFY(studio.graph() == shared);
        QVERIFY(studio.window.messages().shownText().contains("share one set of weights"));
    }
};

static const AreaOf<PromotingTest> promotingTestArea("promoting");

} // namespace unroll::test

#include "promoting_test.moc"
