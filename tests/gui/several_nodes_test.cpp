// SPDX-License-Identifier: GPL-3.0-or-later
// Several selected nodes: the parameters that they have in common are edited together.
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"

#include <QCheckBox>
#include <QComboBox>
#include <QToolButton>

namespace unroll::test {

namespace {

SeveralPage* pageOf(Studio& studio, const std::vector<std::string>& nodes)
{
    choose(studio, nodes);
    return studio.window.panel<InspectorPanel>().findChild<SeveralPage*>();
}

template <class T>
T* fieldIn(const SeveralPage& page, const std::string& param)
{
    ParamEditor* editor = page.form().editor(param);
    return editor != nullptr ? editor->findChild<T*>() : nullptr;
}

ParamValue valueOf(Studio& studio, const std::string& node, const std::string& param)
{
    return studio.registry.find(studio.graph().findByName(node)->block)
        ->withDefaults(studio.graph().findByName(node)->params)
        .at(param);
}

void setOn(Studio& studio, const std::string& node, const std::string& param, const ParamValue& value)
{
    QVERIFY(studio.window.document().apply(edits::setParam(studio.id(node), param, value)));
}

void typeField(NumberField* field, const QString& text)
{
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
}

} // namespace

class SeveralNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneEditIsForAllOfThem()
    {
        Studio studio;
        setOn(studio, "lstm_2", "units", valueOf(studio, "lstm", "units"));
        const Graph before = studio.graph();
        SeveralPage* page = pageOf(studio, {"lstm", "lstm_2"});
        QVERIFY(page != nullptr && studio.window.panel<InspectorPanel>().page() == nullptr);
        QVERIFY(says(*page, "2 nodes") && says(*page, "lstm, lstm_2"));
        auto* units = fieldIn<NumberField>(*page, "units");
        QCOMPARE(*units->number(), Number(std::get<std::int64_t>(valueOf(studio, "lstm", "units"))));
        typeField(units, "96");
        QTest::keyClick(units, Qt::Key_Return);
        QCOMPARE(valueOf(studio, "lstm", "units"), ParamValue(std::int64_t{96}));
        QCOMPARE(valueOf(studio, "lstm_2", "units"), ParamValue(std::int64_t{96}));
        QCOMPARE(studio.window.panel<InspectorPanel>().findChild<SeveralPage*>(), page);
        isOneStep(studio, before); // two digits, two nodes
        studio.window.canvas().setFocus();
        press(studio, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(studio.graph() == before);
        QCOMPARE(*units->number(), Number(std::get<std::int64_t>(valueOf(studio, "lstm", "units"))));
    }

    void differentValuesAreMixed()
    {
        Studio studio;
        setOn(studio, "lstm", "units", std::int64_t{32});
        setOn(studio, "lstm_2", "units", std::int64_t{64});
        const Graph before = studio.graph();
        SeveralPage* page = pageOf(studio, {"lstm", "lstm_2"});
        auto* units = fieldIn<NumberField>(*page, "units");
        auto* line = units->findChild<QLineEdit*>();
        QCOMPARE(units->text(), QString());
        QCOMPARE(line->placeholderText(), QString("mixed"));
        units->setFocus();
        QTest::keyClick(units, Qt::Key_Up); // there is nothing to step from
        QTest::keyClick(units, Qt::Key_Return);
        studio.window.canvas().setFocus();
        QVERIFY(studio.graph() == before);
        typeField(units, "x");
        QTest::keyClick(units, Qt::Key_Return);
        QCOMPARE(units->text(), QString());
        QVERIFY2(says(page->form(), "They stay as they are."), "a text that is not a number");
        QVERIFY(studio.graph() == before);
        typeField(units, "48");
        QTest::keyClick(units, Qt::Key_Return);
        QCOMPARE(valueOf(studio, "lstm", "units"), ParamValue(std::int64_t{48}));
        QCOMPARE(valueOf(studio, "lstm_2", "units"), ParamValue(std::int64_t{48}));
        isOneStep(studio, before);
        studio.window.document().undo();
        QCOMPARE(units->text(), QString()); // mixed again
        QCOMPARE(line->placeholderText(), QString("mixed"));
    }

    void flagsAndChoicesAreMixedToo()
    {
        Studio studio;
        const BlockSpec& lstm = *studio.registry.find("lstm");
        const ParamSpec *flag = nullptr, *choice = nullptr;
        for (const ParamSpec& param : lstm.params) {
            if (flag == nullptr && param.type == ParamType::Bool && param.when.empty())
                flag = &param;
            if (choice == nullptr && param.type == ParamType::Choice && param.when.empty())
                choice = &param;
        }
        QVERIFY(flag != nullptr);
        setOn(studio, "lstm", flag->name, false);
        setOn(studio, "lstm_2", flag->name, true);
        Graph before = studio.graph();
        SeveralPage* page = pageOf(studio, {"lstm", "lstm_2"});
        auto* box = fieldIn<QCheckBox>(*page, flag->name);
        QCOMPARE(box->checkState(), Qt::PartiallyChecked);
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Space);
        QCOMPARE(box->checkState(), Qt::Checked);
        QCOMPARE(valueOf(studio, "lstm", flag->name), ParamValue(true));
        isOneStep(studio, before);
        QTest::keyClick(box, Qt::Key_Space); // it has two states from here on
        QCOMPARE(box->checkState(), Qt::Unchecked);
        QCOMPARE(valueOf(studio, "lstm_2", flag->name), ParamValue(false));
        if (choice == nullptr)
            return;
        setOn(studio, "lstm", choice->name, choice->choices.front().value);
        setOn(studio, "lstm_2", choice->name, choice->choices.back().value);
        before = studio.graph();
        auto* combo = fieldIn<QComboBox>(*page, choice->name);
        QCOMPARE(combo->currentIndex(), -1);
        QCOMPARE(combo->placeholderText(), QString("mixed"));
        combo->setFocus();
        QTest::keyClick(combo, Qt::Key_Down);
        QCOMPARE(valueOf(studio, "lstm_2", choice->name), ParamValue(choice->choices.front().value));
        isOneStep(studio, before);
    }

    void onlyWhatAllHaveInOneKindIsShown()
    {
        Studio studio;
        SeveralPage* page = pageOf(studio, {"lstm", "embedding"});
        const BlockSpec &lstm = *studio.registry.find("lstm"), &embedding = *studio.registry.find("embedding");
        for (const ParamSpec& param : lstm.params) {
            const ParamSpec* other = embedding.param(param.name);
            QCOMPARE(page->form().editor(param.name) != nullptr, other != nullptr && other->type == param.type);
        }
        for (const ParamSpec& param : embedding.params)
            QVERIFY(page->form().editor(param.name) == nullptr || lstm.param(param.name) != nullptr);
        page = pageOf(studio, {"lstm", "lstm_2", "embedding"});
        QVERIFY(says(*page, "3 nodes"));
        studio.window.scene().select({});
        QVERIFY(studio.window.panel<InspectorPanel>().findChild<SeveralPage*>() == nullptr &&
                studio.window.panel<InspectorPanel>().card() != nullptr);
    }

    void resetIsForAllOfThem()
    {
        Studio studio;
        setOn(studio, "lstm", "units", std::int64_t{32});
        setOn(studio, "lstm_2", "units", std::int64_t{64});
        const Graph before = studio.graph();
        SeveralPage* page = pageOf(studio, {"lstm", "lstm_2"});
        for (QToolButton* button : page->form().findChildren<QToolButton*>())
            if (button->accessibleName() == "Reset units") {
                QCOMPARE(button->toolTip(), QString("Reset each to its default"));
                QTest::mouseClick(button, Qt::LeftButton);
            }
        for (const char* node : {"lstm", "lstm_2"})
            QVERIFY(!studio.graph().findByName(node)->params.contains("units"));
        isOneStep(studio, before);
    }

    /// An edit would be without effect on the one whose value the group sets.
    void aValueThatAGroupSetsIsLeftToTheGroup()
    {
        Studio studio;
        makeGroup(studio, {"lstm", "lstm_2"}, "body");
        Document& document = studio.window.document();
        GraphScene& scene = studio.window.scene();
        const NodeId body = studio.id("body"), lstm = studio.graph().find(body)->group->graph->findByName("lstm")->id;
        QVERIFY(document.apply(edits::showParam({body}, lstm, "units")));
        QVERIFY(document.apply(edits::setParam(body, "units", std::int64_t{64})));
        scene.enter(body);
        scene.select({lstm, scene.shown().findByName("lstm_2")->id});
        const SeveralPage& page = *studio.window.panel<InspectorPanel>().findChild<SeveralPage*>();
        QVERIFY(!fieldIn<NumberField>(page, "units")->isEnabled());
        QVERIFY(says(page, "lstm. Set by group body: 64"));
        QVERIFY(clickOn(page, "Go to body"));
        QVERIFY(scene.path().empty() && scene.selection() == std::set<NodeId>{body});
    }

    void whatIsWrongIsSaidWithItsNode()
    {
        Studio studio;
        SeveralPage* page = pageOf(studio, {"lstm", "lstm_2"});
        auto* units = fieldIn<NumberField>(*page, "units");
        typeField(units, "0");
        QTest::keyClick(units, Qt::Key_Return);
        QTRY_VERIFY(units->property("wrong").toBool());
        QVERIFY(says(page->form(), "lstm: units must be at least 1"));
    }
};

static const AreaOf<SeveralNodesTest> severalNodesTestArea("several");

} // namespace unroll::test

#include "several_nodes_test.moc"
