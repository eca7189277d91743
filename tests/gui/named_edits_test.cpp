// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that have a name in the run's folder, in the panel of Touch.
#include "app/studio/lenses/touch/named_edits.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QSignalSpy>
#include <QTemporaryDir>

namespace unroll::test {

class NamedEditsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areKeptChosenAndForgotten()
    {
        Studio studio;
        QTemporaryDir run;
        std::string now = "lstm.h[3] = 0 from 40";
        NamedEditsButton button(
            studio.appearance, [&run] { return run.path().toStdString(); }, [&now] { return now; });
        QSignalSpy told(&button, &NamedEditsButton::noted), failed(&button, &NamedEditsButton::failed);
        QSignalSpy listed(&button, &NamedEditsButton::listed), chosen(&button, &NamedEditsButton::chosen);
        button.keep("quiet");
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(told[0][0].toString().contains("@quiet"));
        QCOMPARE(readNamedEdits(run.path().toStdString()).value().at("quiet"), now);
        Q_EMIT button.menu()->aboutToShow();
        QTRY_COMPARE(listed.size(), 1);
        QCOMPARE(button.menu()->actions().front()->text(), QStringLiteral("quiet"));
        button.menu()->actions().front()->trigger();
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString().toStdString(), now);
        button.keep("two words");
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][0].toString().contains("letters, digits"));
        button.forget("quiet");
        QTRY_COMPARE(told.size(), 2);
        QVERIFY(readNamedEdits(run.path().toStdString()).value().empty());
    }

    void aRunThatIsNotOnDiskHasNone()
    {
        Studio studio;
        NamedEditsButton button(
            studio.appearance, [] { return std::string(); }, [] { return std::string("lstm.h = 0"); });
        Q_EMIT button.menu()->aboutToShow();
        QVERIFY(button.menu()->actions().front()->text().contains("not on disk"));
        QVERIFY(!button.menu()->actions().front()->isEnabled());
    }
};

static const AreaOf<NamedEditsTest> namedEditsTestArea("named_edits");

} // namespace unroll::test

#include "named_edits_test.moc"
