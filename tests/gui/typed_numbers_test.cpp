// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people type, paste and drop them: taken as they are meant, or refused in words, and never altered.
#include "app/studio/inspector/field_note.h"
#include "app/studio/inspector/number_field.h"
#include "tests/gui/area.h"
#include "tests/gui/editing.h"

#include <QClipboard>
#include <QDropEvent>
#include <QInputMethodEvent>
#include <QLineEdit>
#include <QLocale>
#include <QMimeData>
#include <algorithm>
#include <limits>

namespace unroll::test {

namespace {

/// A text, and the number that it means; nothing: it is refused.
struct Meaning {
    const char* text;
    std::optional<double> real;
    std::optional<std::int64_t> whole;
};

constexpr std::nullopt_t refused = std::nullopt;

const std::vector<Meaning>& meanings()
{
    static const std::vector<Meaning> all{
        {"64", 64, 64},
        {"0,02", 0.02, refused},
        {"0.02", 0.02, refused},
        {"12,34", 12.34, refused},
        {",5", 0.5, refused},
        {"5,", 5, 5},
        {"1,0", 1, 1},
        {"0,123", 0.123, refused},
        {"1234,567", 1234.567, refused},
        {"6.283", 6.283, refused},
        {"1,000", refused, refused}, // one thousand or one
        {"1.000", refused, refused},
        {"-12,500", refused, refused},
        {"1,024", refused, refused},
        {"1,000,000", 1e6, 1000000},
        {"1.000.000", 1e6, 1000000},
        {"10,00,000", 1e6, 1000000}, // as in India
        {"1,000.5", 1000.5, refused},
        {"1.000,5", 1000.5, refused},
        {"1,000.0", 1000, 1000},
        {"1 000", 1000, 1000},
        {"1\u00a0000", 1000, 1000},
        {"1\u202f000,5", 1000.5, refused},
        {"1'000", 1000, 1000},
        {"1’000.5", 1000.5, refused},
        {"1_000", 1000, 1000},
        {"12 34", refused, refused},
        {"1,00,5", refused, refused},
        {"1,000 000", refused, refused},
        {"1.2.3", refused, refused},
        {"0,000,001", refused, refused},
        {" 64 ", 64, 64},
        {"64\n", 64, 64},
        {"\t64\r\n", 64, 64},
        {"6\n4", refused, refused},
        {"64\t128", refused, refused},
        {"\ufeff64\u200b", 64, 64},
        {"\u200f64\u200e", 64, 64},
        {"\u22125", -5, -5},
        {"\u20135", -5, -5},
        {"- 5", -5, -5},
        {"+5", 5, 5},
        {"--5", refused, refused},
        {"5-", refused, refused},
        {"1-5", refused, refused},
        {"６４", 64, 64},
        {"０，０２", 0.02, refused},
        {"٠٫٠٢", 0.02, refused},
        {"١٬٠٠٠", 1000, 1000},
        {"١٬٠٠٠٫٥", 1000.5, refused},
        {"٠،٠٢", 0.02, refused},
        {"۶۴", 64, 64},
        {"६४", 64, 64},
        {"1e-3", 0.001, refused},
        {"1E3", 1000, 1000},
        {"2.5e2", 250, 250},
        {"1,5e-3", 0.0015, refused},
        {"1e\u22123", 0.001, refused},
        {"1e", refused, refused},
        {"e5", refused, refused},
        {"1e5.5", refused, refused},
        {"64.0", 64, 64},
        {"64.5", 64.5, refused},
        {"007", 7, 7},
        {"", refused, refused},
        {".", refused, refused},
        {"-", refused, refused},
        {"2^10", refused, refused},
        {"2*3", refused, refused},
        {"1/2", refused, refused},
        {"½", refused, refused},
        {"2²", refused, refused},
        {"0x10", refused, refused},
        {"inf", refused, refused},
        {"-Infinity", refused, refused},
        {"nan", refused, refused},
        {"∞", refused, refused},
        {"5 %", refused, refused},
        {"$5", refused, refused},
        {"64 px", refused, refused},
        {"12x", refused, refused},
        {"1k", refused, refused},
        {"(5)", refused, refused},
        {"1e400", refused, refused},
        {"1e-400", refused, refused},
        {"1e999999999999", refused, refused},
        {"9007199254740993", 9007199254740992.0, 9007199254740993},
        {"9223372036854775807", 9223372036854775807.0, std::numeric_limits<std::int64_t>::max()},
        {"9223372036854775808", 9223372036854775808.0, refused},
        {"-9223372036854775808", -9223372036854775808.0, std::numeric_limits<std::int64_t>::min()},
    };
    return all;
}

QString asText(const char* text)
{
    return QString::fromUtf8(text);
}

std::optional<Number> meant(const Meaning& meaning, const NumberField& field)
{
    const bool isReal = std::holds_alternative<double>(*field.number());
    const bool isSeed = std::holds_alternative<std::uint64_t>(*field.number());
    if (isSeed && meaning.text == std::string("9223372036854775808"))
        return std::uint64_t{1} << 63;
    if (isReal)
        return meaning.real ? std::optional<Number>(*meaning.real) : std::nullopt;
    if (!meaning.whole)
        return {};
    if (isSeed && *meaning.whole >= 0)
        return static_cast<std::uint64_t>(*meaning.whole);
    return isSeed ? std::nullopt : std::optional<Number>(*meaning.whole);
}

/// Empties the field and puts the text in, as Ctrl+V does.
void paste(NumberField& field, const QString& text)
{
    QApplication::clipboard()->setText(text);
    field.setFocus();
    field.selectAll();
    if (text.isEmpty())
        QTest::keyClick(&field, Qt::Key_Delete);
    else
        QTest::keySequence(&field, QKeySequence::Paste);
}

void drop(QWidget& target, const QString& text)
{
    QMimeData data;
    data.setText(text);
    const QPoint at = target.rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &event);
    QCOMPARE(event.dropAction(), Qt::CopyAction);
}

/// Words that are seen close to the field: below it or above, in its form or over what is there.
QString wordsAt(const NumberField& field, const QString& part, const QString& other = {})
{
    const QWidget& window = *field.window();
    const QRect place(field.mapTo(&window, QPoint()), field.size());
    const QRect around = place.adjusted(-400, -160, 400, 160);
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(part) && label->text().contains(other) &&
            around.intersects(QRect(label->mapTo(&window, QPoint()), label->size())))
            return label->text();
    return {};
}

/// Every field of the window that can be edited now, whatever panel it is on.
std::vector<NumberField*> fieldsOf(MainWindow& window)
{
    std::vector<NumberField*> fields;
    for (QAbstractSpinBox* box : window.findChildren<QAbstractSpinBox*>()) {
        auto* field = qobject_cast<NumberField*>(box);
        if (field == nullptr)
            qFatal("a number field that is none of ours");
        if (field->isEnabled())
            fields.push_back(field);
    }
    return fields;
}

void show(MainWindow& window, NumberField& field)
{
    for (Dock* dock : window.docks().all())
        if (dock->isAncestorOf(&field)) {
            dock->show();
            dock->raise();
        }
    QTRY_VERIFY(field.isVisible());
    for (QWidget* up = field.parentWidget(); up != nullptr; up = up->parentWidget())
        if (auto* scroll = qobject_cast<QScrollArea*>(up))
            scroll->ensureWidgetVisible(&field, 0, 100);
}

/// Whatever the text: what stands there then is what was meant, or what stood there before, and then words say why.
void takesOrRefuses(NumberField& field, const Meaning& meaning)
{
    const QString text = asText(meaning.text);
    const Number before = *field.number();
    const auto expected = meant(meaning, field);
    paste(field, text);
    QTest::keyClick(&field, Qt::Key_Return);
    const auto after = field.number();
    QVERIFY2(after.has_value(), qPrintable(text));
    QCOMPARE(field.text(), numberText(*after));
    if (*after == before && expected != before) {
        const QString told = readNumber(text, NumberKind::Real) ? text.simplified().left(3) : text.simplified();
        const QString stays = QString("It stays %1.").arg(numberText(before));
        QVERIFY2(!wordsAt(field, stays, expected ? QString() : told).isEmpty(),
                 qPrintable(QString("%1: “%2”").arg(text, wordsAt(field, "It stays"))));
        return;
    }
    QVERIFY2(expected.has_value(), qPrintable(QString("“%1” became %2").arg(text, field.text())));
    QCOMPARE(*after, *expected);
}

struct InLocale {
    QLocale before;
    explicit InLocale(const QLocale& locale) { QLocale::setDefault(locale); }
    ~InLocale() { QLocale::setDefault(before); }
};

} // namespace

class TypedNumbersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textsAreRead()
    {
        for (const char* name : {"C", "de_DE", "fr_FR", "ar_EG", "hi_IN"}) {
            const InLocale locale{QLocale(name)};
            for (const Meaning& meaning : meanings()) {
                const QString text = asText(meaning.text);
                const auto real = readNumber(text, NumberKind::Real);
                QVERIFY2(real.has_value() == meaning.real.has_value(), qPrintable(text));
                if (real)
                    QCOMPARE(std::get<double>(real->value), *meaning.real);
                const auto whole = readNumber(text, NumberKind::Whole);
                QVERIFY2(whole.has_value() == meaning.whole.has_value(), qPrintable(text));
                if (whole)
                    QCOMPARE(std::get<std::int64_t>(whole->value), *meaning.whole);
            }
        }
    }

    void whatIsRefusedIsExplained()
    {
        using enum NumberKind;
        const std::tuple<const char*, NumberKind, const char*> cases[] = {
            {"1,000", Real, "“1,000” can be read as 1000 or as 1: write 1000 or 1."},
            {"1,234", Real, "“1,234” can be read as 1234 or as 1.234: write 1234 or 1.234."},
            {"1.000", Real, "“1.000” can be read as 1000 or as 1: write 1000 or 1."},
            {"1,024", Whole, "“1,024” can be read as 1024 or as 1.024, which is no whole number: write 1024."},
            {"1.000", Whole, "“1.000” can be read as 1000 or as 1: write 1000 or 1."},
            {"0,02", Whole, "“0,02” is no whole number."},
            {"1e-3", Seed, "“1e-3” is no whole number."},
            {"-1", Seed, "“-1” is below 0; 0 to 18446744073709551615 will do."},
            {"1e30", Whole,
             "“1e30” has too many digits; -9223372036854775808 to 9223372036854775807 will do."},
            {"1e400", Real, "“1e400” is larger than a number can be here, which is 1.8e308."},
            {"1e-400", Real, "“1e-400” is too small to be told from 0."},
            {"nan", Real, "“nan” is no number: a finite one is asked for."},
            {"0x1F", Whole, "“0x1F” is no decimal number: write 31."},
            {"5 %", Real, "“5 %” is no number: write 0.05."},
            {"2^10", Whole, "“2^10” is no number."},
            {" \n ", Real, "A number is missing."},
        };
        for (const auto& [text, kind, words] : cases) {
            const auto read = readNumber(asText(text), kind);
            QVERIFY2(!read.has_value(), text);
            QCOMPARE(read.error(), QString::fromUtf8(words));
        }
    }

    void whatIsWrittenIsReadBack()
    {
        for (const double real : {0.0, -0.5, 0.1, 1.125, 6.283185307179586, 1234.5, 1e-8, 3e12, 1.7976931348623157e308,
                                  5e-324, 0.30000000000000004, 123456.789}) {
            const auto read = readNumber(numberText(real), NumberKind::Real);
            QVERIFY2(read.has_value(), qPrintable(numberText(real)));
            QCOMPARE(std::get<double>(read->value), real);
            QVERIFY(!read->isRounded);
        }
        QVERIFY(readNumber("3.14159265358979323846", NumberKind::Real)->isRounded);
        QVERIFY(!readNumber("0.10000000000000000000", NumberKind::Real)->isRounded);
        QVERIFY(readNumber("9007199254740993", NumberKind::Real)->isRounded);
    }

    void theUnitOfAFieldMayStandBehind()
    {
        QCOMPARE(std::get<std::int64_t>(readNumber("64 Units", NumberKind::Whole, "units")->value), 64);
        QCOMPARE(std::get<std::int64_t>(readNumber("64units", NumberKind::Whole, "units")->value), 64);
        QVERIFY(!readNumber("64 units", NumberKind::Whole, "steps").has_value());
        QVERIFY(!readNumber("units", NumberKind::Whole, "units").has_value());
    }

    /// All that the window has: a new field of another kind fails here.
    void everyFieldTakesOrRefuses()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        for (const char* node : {"body", "text", "lstm", "head"}) {
            studio.window.scene().select({studio.id(node)});
            std::size_t walked = 0;
            for (NumberField* field : fieldsOf(studio.window)) {
                const bool isOfNode = studio.window.inspector().isAncestorOf(field);
                if (!isOfNode && node != std::string("body")) // the same ones again
                    continue;
                show(studio.window, *field);
                for (const Meaning& meaning : meanings()) {
                    takesOrRefuses(*field, meaning);
                    if (QTest::currentTestFailed()) {
                        qWarning() << "in" << field->parentWidget()->parentWidget() << field->accessibleName() << node;
                        return;
                    }
                }
                ++walked;
            }
            QVERIFY2(walked > 0, node);
        }
    }

    void whateverTheReadersCountry()
    {
        for (const char* name : {"de_DE", "fr_FR", "ar_EG"}) {
            const InLocale locale{QLocale(name)};
            Studio studio;
            studio.window.scene().select({studio.id("lstm")});
            const ParamForm& form = studio.window.inspector().page()->form();
            auto* seed = studio.window.runBar().findChild<NumberField*>();
            for (NumberField* field : {form.editor("units")->findChild<NumberField*>(),
                                       form.editor("forget_bias")->findChild<NumberField*>(), seed})
                for (const Meaning& meaning : meanings())
                    takesOrRefuses(*field, meaning);
            auto* bias = form.editor("forget_bias")->findChild<NumberField*>();
            bias->setFocus();
            bias->selectAll();
            QTest::keyClicks(bias, "0,02");
            QCOMPARE(studio.graph().findByName("lstm")->params.at("forget_bias"), ParamValue(0.02));
            QTest::keyClick(bias, Qt::Key_Return);
            QCOMPARE(bias->text(), QStringLiteral("0.02"));
            QTest::keyClick(bias, Qt::Key_Up);
            QCOMPARE(bias->text(), QStringLiteral("0.021"));
        }
    }

    void whatIsDroppedIsTheWholeNumber()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(64.0);
        field.show();
        for (QWidget* target : {static_cast<QWidget*>(&field), static_cast<QWidget*>(field.findChild<QLineEdit*>())}) {
            drop(*target, "0,02");
            QCOMPARE(field.text(), QStringLiteral("0.02")); // not within "64"
            drop(*target, " 5\n");
            QCOMPARE(field.text(), QStringLiteral("5"));
            drop(*target, "1,000");
            QCOMPARE(field.text(), QStringLiteral("5"));
            QVERIFY(!wordsAt(field, "can be read as 1000 or as 1").isEmpty());
        }
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile("/some/5.csv")});
        QDragEnterEvent enter({3, 3}, Qt::CopyAction, &files, Qt::LeftButton, {});
        QApplication::sendEvent(&field, &enter);
        QVERIFY(!enter.isAccepted()); // the window opens files
        QCOMPARE(field.text(), QStringLiteral("5"));
    }

    void whatAnInputMethodGivesIsRead()
    {
        NumberField field(NumberKind::Real);
        field.setNumber(1.0);
        field.show();
        field.setFocus();
        field.selectAll();
        QInputMethodEvent writing("０，０", {});
        QApplication::sendEvent(field.findChild<QLineEdit*>(), &writing);
        QInputMethodEvent done;
        done.setCommitString("０，０２");
        QApplication::sendEvent(field.findChild<QLineEdit*>(), &done);
        QCOMPARE(*field.number(), Number(0.02));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(field.text(), QStringLiteral("0.02"));
    }

    void stepsKeepEveryDigitAndTheRange()
    {
        NumberField real(NumberKind::Real);
        for (const auto& [from, to] : {std::pair{0.0236, 0.0246}, {0.02, 0.021}, {0.25, 0.26}, {-0.5, -0.49}, {0.0, 0.1}}) {
            real.setNumber(from);
            real.stepBy(1);
            QCOMPARE(numberText(*real.number()), numberText(to));
        }
        NumberField whole(NumberKind::Whole);
        whole.setRange(1, 10, false);
        whole.setNumber(std::int64_t{10});
        whole.stepBy(1);
        QCOMPARE(*whole.number(), Number(std::int64_t{10}));
        whole.setNumber(std::int64_t{1});
        whole.stepBy(-1);
        QCOMPARE(*whole.number(), Number(std::int64_t{1}));
        whole.setNumber(std::int64_t{0}); // out of range, said by others: the way in is open
        whole.stepBy(1);
        QCOMPARE(*whole.number(), Number(std::int64_t{1}));
        NumberField text(NumberKind::Real);
        text.setNumber(2.0);
        text.selectAll();
        QTest::keyClicks(&text, "1,000");
        text.stepBy(1); // of which number?
        QCOMPARE(text.text(), QStringLiteral("1,000"));
    }

    void aTemperatureBelowZeroIsRefusedWithTheRange()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        studio.window.docks().samples->raise();
        auto* temperature = studio.window.samples().findChild<NumberField*>();
        QTRY_VERIFY(temperature->isVisible());
        const QString before = temperature->text();
        paste(*temperature, "-1");
        const QString words = wordsAt(*temperature, "out of range");
        QCOMPARE(words, QStringLiteral("“-1” is out of range: 0 to 100."));
        QTest::mouseClick(studio.window.samples().findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(temperature->text(), before);
        QVERIFY(wordsAt(*temperature, "It stays").endsWith(QString("It stays %1.").arg(before)));
        paste(*temperature, "0,5");
        QVERIFY(wordsAt(*temperature, "It stays").isEmpty());
        QTest::mouseClick(studio.window.samples().findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(temperature->text(), QStringLiteral("0.5"));
        QVERIFY(studio.script->wasTold("sample"));
    }

    void aRepeatBelowOneSaysWhatStays()
    {
        Studio studio;
        makeGroup(studio, {"lstm_2"}, "body");
        studio.window.scene().select({studio.id("body")});
        auto* repeat =
            studio.window.inspector().page()->groupForm()->form().editor("repeat")->findChild<NumberField*>();
        paste(*repeat, "0");
        QTest::keyClick(repeat, Qt::Key_Return);
        QCOMPARE(repeat->text(), QStringLiteral("1"));
        QCOMPARE(wordsAt(*repeat, "It stays"), QStringLiteral("A group is repeated once or more. It stays 1."));
    }

    void moreDigitsThanAreKeptAreToldOf()
    {
        Studio studio;
        studio.window.scene().select({studio.id("lstm")});
        auto* bias = studio.window.inspector().page()->form().editor("forget_bias")->findChild<NumberField*>();
        paste(*bias, "3.14159265358979323846");
        QTest::keyClick(bias, Qt::Key_Return);
        QCOMPARE(bias->text(), QStringLiteral("3.141592653589793"));
        QCOMPARE(wordsAt(*bias, "Kept"),
                 QStringLiteral("Kept as 3.141592653589793: a number here has 17 digits at most."));
    }
};

static const AreaOf<TypedNumbersTest> area("typedNumbers");

} // namespace unroll::test

#include "typed_numbers_test.moc"
