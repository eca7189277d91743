// SPDX-License-Identifier: GPL-3.0-or-later
// What several views ask of one run.
#include "app/studio/lenses/lens_view.h"
#include "core/lens/forecast/forecast.h"
#include "core/lens/state/state.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <set>

namespace unroll::test {

class AskingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aQueryIsOpenOnceAndAsLongAsSomebodyAsks()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        const LensQuery state = *studio.window.panel<StatePanel>().query();
        const LensQuery other = stateQuery({state.node, state.signal == "f" ? "h" : "f"});
        studio.key(Qt::Key_F10);
        QTRY_COMPARE(run.state(), RunState::Paused);
        QCOMPARE(studio.script->open, std::vector<LensQuery>{state});
        auto one = std::make_unique<QObject>(), two = std::make_unique<QObject>();
        run.ask(*one, state); // as the panel does
        QCOMPARE(studio.script->open, std::vector<LensQuery>{state});
        run.ask(*two, other);
        QCOMPARE(studio.script->open, (std::vector<LensQuery>{state, other}));
        QTRY_VERIFY(run.snapshot()->frameOf(other) != nullptr && run.snapshot()->frameOf(state) != nullptr);
        run.ask(*one, other);
        QCOMPARE(studio.script->open, (std::vector<LensQuery>{state, other}));
        two.reset();
        QCOMPARE(studio.script->open, (std::vector<LensQuery>{state, other}));
        run.ask(*one, {});
        QCOMPARE(studio.script->open, std::vector<LensQuery>{state});
        run.ask(*one, forecastQuery());
        one.reset();
        QCOMPARE(studio.script->open, std::vector<LensQuery>{state});
    }

    /// A run that begins is told what was asked before.
    void theNextRunIsAskedTheSame()
    {
        Studio studio;
        QObject asker;
        const LensQuery query = stateQuery({"lstm", "f"});
        studio.window.controller().ask(asker, query);
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(studio.window.controller().snapshot()->frameOf(query) != nullptr);
    }

    void everyViewIsMadeAndHasItsLens()
    {
        Studio studio;
        const LensDesk desk{studio.window.document(), studio.window.controller(), studio.appearance,
                            studio.window.cursor()};
        std::set<std::string> ids;
        for (const LensViewEntry& entry : lensViews()) {
            QVERIFY(ids.insert(entry.id).second);
            const std::unique_ptr<LensView> view(entry.make(desk));
            QCOMPARE(view->lens().id, entry.id);
            QVERIFY(!entry.title().isEmpty());
            view->resize(400, 300);
            QVERIFY(!view->grab().isNull());
        }
        QVERIFY(ids.contains("state"));
    }
};

static const AreaOf<AskingTest> askingTestArea("asking");

} // namespace unroll::test

#include "asking_test.moc"
