// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of an exported model.py that is run with --verify.
#include "app/studio/export/verification.h"
#include "tests/gui/area.h"
#include "tests/gui/stand_in_program.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

namespace unroll::test {

class VerificationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatStandsInTheWayOfVerifyingIsSaid_data()
    {
        QTest::addColumn<QByteArray>("python");
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QString>("words");
        using Verdict = Verification::Verdict;
        const auto row = [](const char* name, const QByteArray& python, Verdict verdict, const QString& words) {
            QTest::newRow(name) << python << static_cast<int>(verdict) << words;
        };
        row("none", "", Verdict::NotRun, "Install Python 3");
        row("no torch", "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1", Verdict::NotRun,
            "-m pip install torch");
        row("broken", "echo first >&2; echo 'KeyError: x' >&2; exit 1", Verdict::NotRun, "KeyError: x");
        row("different", "echo 'fp32: relative RMS error loss 1; bound 1e-05: FAILED'; exit 1", Verdict::Different,
            "bound 1e-05");
        row("same", "echo \"fp64 of $PWD $*\"", Verdict::Same, "model.py --verify");
    }
    void whatStandsInTheWayOfVerifyingIsSaid()
    {
        QFETCH(QByteArray, python);
        QFETCH(int, verdict);
        QFETCH(QString, words);
        const QTemporaryDir place;
        Verification verification(python.isEmpty() ? QString() : madeProgram(place.filePath("python"), python + '\n'));
        QSignalSpy ended(&verification, &Verification::ended);
        verification.start(place.path());
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(static_cast<int>(ended.front().front().value<Verification::Verdict>()), verdict);
        QVERIFY2(ended.front()[1].toString().contains(words), qPrintable(ended.front()[1].toString()));
    }

    /// It is told by the system, which it asks here (PR_GET_PDEATHSIG).
    void verifyingEndsWithTheStudio()
    {
        const QTemporaryDir place;
        const QByteArray asks = "exec python3 -c 'import ctypes\n"
                                "told = ctypes.c_int()\n"
                                "ctypes.CDLL(None).prctl(2, ctypes.byref(told))\n"
                                "print(\"signal\", told.value)'\n";
        Verification verification(madeProgram(place.filePath("python"), asks));
        QSignalSpy ended(&verification, &Verification::ended);
        verification.start(place.path());
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(ended.front()[1].toString(), QString("signal %1").arg(SIGTERM));
    }

    void verifyingCanBeStopped()
    {
        const QTemporaryDir place;
        Verification verification(madeProgram(place.filePath("python"), "exec sleep 60\n"));
        QSignalSpy ended(&verification, &Verification::ended);
        verification.start(place.path());
        QTRY_VERIFY(verification.isRunning());
        verification.stop();
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(ended.front().front().value<Verification::Verdict>(), Verification::Verdict::Stopped);
        QVERIFY(!verification.isRunning());
    }
};

static const AreaOf<VerificationTest> verificationTestArea("verification");

} // namespace unroll::test

#include "verification_test.moc"
