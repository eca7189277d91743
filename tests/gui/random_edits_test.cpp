// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph_json.h"
#include "tests/gui/area.h"
#include "tests/gui/random_hand.h"
#include "tests/gui/same_picture.h"

namespace unroll::test {

/// Whatever is done on the canvas, it shows what the document holds, and every step goes back and forth exactly.
/// 200 edits, or 10,000 from 25 seeds with UNROLL_TEST_ALL=1; one seed alone: randomEdits theCanvasFollows:"seed 7".
class RandomEditsTest : public QObject {
    Q_OBJECT

    const bool m_all = qEnvironmentVariableIsSet("UNROLL_TEST_ALL");
    const int m_editsPerSeed = m_all ? 400 : 200;

    static QByteArray bytesOf(const Graph& graph) { return QByteArray::fromStdString(writeJson(graphToJson(graph))); }

    /// As far as it goes, with a snapshot after every step; what was found wrong.
    static QString goAll(Studio& studio, void (Document::*way)(), bool (History::*can)() const)
    {
        Document& document = studio.window.document();
        while ((document.history().*can)()) {
            (document.*way)();
            if (const QString fault = differenceFromDocument(studio); !fault.isEmpty())
                return fault;
        }
        return {};
    }

private Q_SLOTS:
    void theCanvasFollows_data()
    {
        QTest::addColumn<int>("seed");
        const int seeds = m_all ? 25 : 1;
        for (int seed = 1; seed <= seeds; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }

    void theCanvasFollows()
    {
        QFETCH(int, seed);
        Studio studio;
        const QByteArray first = bytesOf(studio.graph());
        RandomHand hand(studio, static_cast<std::uint64_t>(seed));
        for (int step = 1; step <= m_editsPerSeed; ++step) {
            hand.act();
            const QString fault = differenceFromDocument(studio);
            QVERIFY2(fault.isEmpty(), qPrintable(QString("seed %1, step %2: %3\nthe last edits:\n%4")
                                                     .arg(seed)
                                                     .arg(step)
                                                     .arg(fault, hand.lastText())));
        }
        QVERIFY2(hand.done() > m_editsPerSeed / 2, qPrintable(QString("%1 changes").arg(hand.done())));
        QVERIFY2(hand.levels() > m_editsPerSeed / 200, qPrintable(QString("%1 levels").arg(hand.levels())));

        QCOMPARE(goAll(studio, &Document::redo, &History::canRedo), QString());
        const QByteArray last = bytesOf(studio.graph());
        QCOMPARE(goAll(studio, &Document::undo, &History::canUndo), QString());
        QCOMPARE(bytesOf(studio.graph()), first);
        QVERIFY(first != last);
        QCOMPARE(goAll(studio, &Document::redo, &History::canRedo), QString());
        QCOMPARE(bytesOf(studio.graph()), last);
    }
};

static const AreaOf<RandomEditsTest> randomEditsTestArea("randomEdits");

} // namespace unroll::test

#include "random_edits_test.moc"
