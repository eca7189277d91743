// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/parts.h"

#include <QListView>
#include <QPushButton>
#include <QScrollBar>

namespace unroll::test {

namespace {

bool set(Studio& studio, const char* node, const char* param, ParamValue value)
{
    return studio.window.document().apply(edits::setParam(studio.id(node), param, std::move(value)));
}

NodePage& pageOf(Studio& studio, const char* node)
{
    studio.window.scene().select({studio.id(node)});
    return *studio.window.panel<InspectorPanel>().page();
}

} // namespace

/// Where a mistake is said, how often, and what mends it there.
class FaultsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFaultOfAParameterIsSaidOnceAtItsFieldWithItsFix()
    {
        Studio studio;
        NodePage& page = pageOf(studio, "lstm");
        QVERIFY(set(studio, "lstm", "units", std::int64_t{0}));
        QTRY_COMPARE(saying(page, "units must be at least 1"), 1);
        studio.window.document().endMerge();
        const QPushButton* mend = buttonIn(page, "Set units to 128");
        QVERIFY(mend != nullptr);
        const auto bottomOf = [&page](const QWidget& part) { return part.mapTo(&page, part.rect().bottomLeft()).y(); };
        const QWidget& field = *page.form().editor("units");
        QVERIFY(bottomOf(*mend) > bottomOf(field));
        QVERIFY(bottomOf(*mend) < bottomOf(*page.form().editor("forget_bias")));
        QVERIFY(clickOn(page, "Set units to 128"));
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), ParamValue(std::int64_t{128}));
        QTRY_COMPARE(saying(page, "units must be at least 1"), 0);
        QVERIFY(buttonIn(page, "Set units to 128") == nullptr);
        studio.window.document().undo();
        QTRY_COMPARE(saying(page, "units must be at least 1"), 1); // it was one step
    }

    /// The button goes with the fault; the keyboard stays at the field.
    void aFixByKeyLeavesTheKeyboardAtTheField()
    {
        Studio studio;
        NodePage& page = pageOf(studio, "lstm");
        QVERIFY(set(studio, "lstm", "units", std::int64_t{0}));
        QTRY_VERIFY(buttonIn(page, "Set units to 128") != nullptr);
        QPushButton* mend = buttonIn(page, "Set units to 128");
        mend->setFocus();
        QTest::keyClick(mend, Qt::Key_Space);
        QTRY_VERIFY(!mend->isVisible());
        QVERIFY(page.form().editor("units")->findChild<NumberField*>()->hasFocus());
    }

    void aFaultOfAPortHasACard()
    {
        Studio studio;
        NodePage& page = pageOf(studio, "lstm");
        const Graph graph = studio.graph();
        for (const Wire& wire : graph.wires)
            if (wire.to == PortRef{studio.id("lstm"), "x"})
                QVERIFY(studio.window.document().apply(edits::disconnect(wire)));
        QTRY_COMPARE(saying(page, "lstm.x must be wired"), 1);
    }

    void ofAnUnknownBlockNothingIsPromised()
    {
        Studio studio;
        QVERIFY(studio.window.document().apply(edits::setBlock(studio.id("lstm"), "hyper_lstm_of_a_later_version")));
        const NodePage& page = pageOf(studio, "lstm");
        QTRY_COMPARE(saying(page, "Unknown in this version."), 2); // shapes and cost
        QVERIFY(!says(page, "Available once"));
    }

    /// The last field of a long page, in a window that shows only its beginning.
    void theFieldAtFaultComesIntoView()
    {
        Studio studio;
        studio.window.resize(1000, 500);
        QVERIFY(set(studio, "lstm", "learning_rate_scale", -1.0));
        QTRY_VERIFY(!studio.window.problems().all().empty());
        const auto isSeen = [&studio](const char* node) {
            const QWidget* field = pageOf(studio, node).form().editor("learning_rate_scale");
            return field->visibleRegion().boundingRect().height() == field->height();
        };
        QVERIFY(!isSeen("lstm_2")); // which is well: its page begins at the top
        QTRY_VERIFY(isSeen("lstm"));
        InspectorPanel& inspector = studio.window.panel<InspectorPanel>();
        inspector.verticalScrollBar()->setValue(0);
        QVERIFY(!isSeen("lstm"));
        QListView& problems = studio.window.panel<ProblemsPanel>().view();
        Q_EMIT problems.activated(problems.model()->index(0, 0));
        QTRY_VERIFY(isSeen("lstm"));
    }

    void shapesStandInTheOrderOfThePorts()
    {
        Studio studio;
        NodePage& page = pageOf(studio, "lstm");
        QTRY_VERIFY(partNamed<QLabel>(page, "shapes").text().contains("state"));
        const QString shapes = partNamed<QLabel>(page, "shapes").text();
        QVERIFY2(shapes.indexOf("→ x") < shapes.indexOf("y →") && shapes.indexOf("y →") < shapes.indexOf("state →"),
                 qPrintable(shapes));
    }
};

static const AreaOf<FaultsTest> faultsTestArea("faults");

} // namespace unroll::test

#include "faults_test.moc"
