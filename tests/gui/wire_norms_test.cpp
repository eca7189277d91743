// SPDX-License-Identifier: GPL-3.0-or-later
// Norms written on the wires of the canvas.
#include "app/studio/canvas/wire_item.h"
#include "core/lens/wires/wires.h"
#include "tests/gui/area.h"
#include "tests/gui/building.h"
#include "tests/gui/drawn_wire.h"
#include "tests/gui/fixture.h"
#include "tests/support/tiny_experiment.h"

#include <QRegularExpression>

namespace unroll::test {

namespace {

WireItem* wireFrom(Studio& studio, const std::string& node, const std::string& port)
{
    for (const Wire& wire : studio.window.scene().shown().wires)
        if (wire.from == PortRef{studio.id(node), port})
            return studio.window.scene().wire(wire);
    return nullptr;
}

/// A real run of a small network, paused after its first step.
struct Trained : Studio {
    explicit Trained(const BlockRegistry& blocks) : Studio(sessionRuns(blocks, allBuilders()))
    {
        Experiment tiny = testing::tinyExperiment();
        const QString file = folder.filePath("tiny.unroll");
        QVERIFY(saveExperiment(tiny, file.toStdString()).has_value());
        QVERIFY(window.files().open(file));
        key(Qt::Key_F10);
        QTRY_VERIFY(window.controller().snapshot()->step >= 1);
    }
    QString words(const std::string& node, const std::string& port) { return wireFrom(*this, node, port)->words(); }
    double normAt(const std::string& node, const std::string& port, std::int64_t step)
    {
        const auto found = dataOf<WiresData>(window.controller().snapshot()->frameOf(wiresQuery()));
        return found != nullptr ? found->find(node, port)->at(step) : std::nan("");
    }
};

QString threeDigits(double value)
{
    return QString::number(value, 'g', 3);
}

} // namespace

class WireNormsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theyAreThoseOfTheLensAtTheCursor()
    {
        Trained studio(m_blocks);
        QVERIFY(studio.words("lstm", "y").isEmpty());
        QVERIFY(!studio.window.actions().wireNorms->isChecked());
        studio.window.actions().wireNorms->trigger();
        QTRY_VERIFY(!studio.words("lstm", "y").isEmpty() && studio.words("lstm", "y") != "n/a");
        const auto data = dataOf<WiresData>(studio.window.controller().snapshot()->frameOf(wiresQuery()));
        QCOMPARE(studio.words("lstm", "y"), threeDigits(studio.normAt("lstm", "y", data->steps - 1))); // the last step
        for (const std::int64_t step : {0, 7}) {
            studio.window.cursor().hold(step);
            QCOMPARE(studio.words("lstm", "y"), threeDigits(studio.normAt("lstm", "y", step)));
            QCOMPARE(studio.words("embedding", "y"), threeDigits(studio.normAt("embedding", "y", step)));
        }
        QVERIFY(studio.normAt("lstm", "y", 0) != studio.normAt("lstm", "y", 7));
        QVERIFY(wireFrom(studio, "lstm", "y")->toolTip().contains("at step 8"));
        QCOMPARE(studio.words("text", "tokens"), QStringLiteral("n/a"));
        QVERIFY(wireFrom(studio, "text", "tokens")->toolTip().contains("classes"));
        WireItem &tokens = *wireFrom(studio, "text", "tokens"), &states = *wireFrom(studio, "lstm", "y");
        QVERIFY(hasWordsIn(Theme::Role::WireLabel, tokens, studio.appearance)); // pale
        QVERIFY(!hasWordsIn(Theme::Role::Text, tokens, studio.appearance));
        QVERIFY(hasWordsIn(Theme::Role::Text, states, studio.appearance));
        studio.window.actions().wireNorms->trigger();
        QVERIFY(studio.words("lstm", "y").isEmpty());
        QVERIFY(wireFrom(studio, "lstm", "y")->toolTip().isEmpty());
    }

    void withoutARunThereAreShapes()
    {
        Studio studio;
        studio.window.actions().wireNorms->trigger();
        QVERIFY(wireFrom(studio, "lstm", "y")->words().isEmpty());
        QVERIFY(!wireFrom(studio, "lstm", "y")->shapeText().isEmpty());
        studio.key(Qt::Key_F10); // a scripted run has no network
        QTRY_COMPARE(wireFrom(studio, "lstm", "y")->words(), QStringLiteral("n/a"));
        QVERIFY(!wireFrom(studio, "lstm", "y")->toolTip().isEmpty());
        const auto asks = [&] {
            return std::any_of(studio.script->open.begin(), studio.script->open.end(),
                               [](const LensQuery& query) { return query.lens == "wires"; });
        };
        QTRY_VERIFY(asks());
        studio.window.actions().wireNorms->trigger();
        QTRY_VERIFY(!asks());
    }

    void wordsCoverNoNodeAndNoOtherWords()
    {
        Studio studio;
        std::map<PortRef, WireWords> words;
        for (const Wire& wire : studio.window.scene().shown().wires)
            words[wire.from] = {"0.0123\u201312.3", {}, false};
        studio.window.scene().setWireWords(words);
        const auto isClear = [&] {
            QList<QRectF> taken;
            int written = 0;
            for (const NodeItem* node : studio.window.scene().nodeItems())
                taken << node->mapRectToScene(node->geometry().body());
            for (const Wire& wire : studio.window.scene().shown().wires) {
                const QRectF place = studio.window.scene().wire(wire)->wordsPlace();
                if (place.isEmpty())
                    continue;
                ++written;
                for (const QRectF& other : taken)
                    QVERIFY(!place.intersects(other));
                QVERIFY(studio.window.scene().wire(wire)->boundingRect().contains(place));
                taken << place;
            }
            QVERIFY(written > 0);
        };
        isClear();
        for (const double zoom : {0.5, 1.0, 2.0}) { // they grow as the view shrinks
            studio.window.canvas().zoomBy(zoom / studio.window.canvas().zoom());
            isClear();
            const WireItem& wire = *wireFrom(studio, "lstm", "y");
            QVERIFY(QFontMetricsF(studio.appearance.font(Type::Caption)).height() <=
                    wire.wordsSize().height() * std::min(zoom, 1.0) + 2);
        }
        studio.drag(studio.headerOf("lstm"), studio.headerOf("lstm") + QPoint(-40, 90));
        studio.window.scene().setWireWords(words); // an edit has them written again
        isClear();
    }

    void anOutputOfAGroupIsThatOfItsLastCopy()
    {
        auto inner = std::make_shared<Group>();
        inner->graph = std::make_shared<const Graph>(
            testing::makeGraph({testing::makeNode(1, "linear", "linear"), testing::makeNode(2, "activation", "tanh")},
                               {{{1, "y"}, {2, "x"}}}));
        inner->outputs = {{"y", {2, "y"}}};
        inner->repeat = 3;
        Node layer = testing::makeNode(7, "group", "layer");
        layer.group = inner;
        auto outer = std::make_shared<Group>();
        outer->graph = std::make_shared<const Graph>(testing::makeGraph({layer}, {}));
        outer->outputs = {{"out", {7, "y"}}};
        outer->repeat = 2;
        Node body = testing::makeNode(4, "group", "body");
        body.group = outer;
        const Graph top = testing::makeGraph({body, testing::makeNode(5, "head", "head")}, {});
        using Places = std::vector<OutputPlace>;
        QVERIFY(outputPlaces(top, {}, {4, "out"}) == (Places{{"body.2.layer.3.tanh", "y"}}));
        QVERIFY(outputPlaces(top, {4}, {7, "y"}) ==
                (Places{{"body.1.layer.3.tanh", "y"}, {"body.2.layer.3.tanh", "y"}}));
        const Places all = outputPlaces(top, {4, 7}, {1, "y"});
        QCOMPARE(all.size(), std::size_t{6});
        QVERIFY(all.front() == (OutputPlace{"body.1.layer.1.linear", "y"}));
        QVERIFY(all.back() == (OutputPlace{"body.2.layer.3.linear", "y"}));
        QVERIFY(outputPlaces(top, {}, {4, "none"}).empty());
        QVERIFY(outputPlaces(top, {}, {9, "y"}).empty());
        QCOMPARE(outputPlaces(top, {4, 7}, {1, "y"}, 4).size(), std::size_t{4});
    }

private:
    BlockRegistry m_blocks = allSpecs();
};

static const AreaOf<WireNormsTest> wireNormsTestArea("wire_norms");

} // namespace unroll::test

#include "wire_norms_test.moc"
