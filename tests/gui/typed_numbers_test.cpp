// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people write them: taken as they are meant, or refused in words, and never altered.
#include "tests/gui/area.h"
#include "tests/gui/editing.h"
#include "tests/gui/typing.h"

#include <QLocale>
#include <limits>

namespace unroll::test {

namespace {

/// A text, and the number that it means; nothing: it is refused.
struct Meaning {
    const char* text;
    std::optional<double> real;
    std::optional<std::int64_t> whole;
};

constexpr std::nullopt_t kRefused = std::nullopt;

const std::vector<Meaning>& meanings()
{
    static const std::vector<Meaning> all{
        {"64", 64, 64},
        {"0,02", 0.02, kRefused},
        {"0.02", 0.02, kRefused},
        {"12,34", 12.34, kRefused},
        {",5", 0.5, kRefused},
        {"5,", 5, 5},
        {"1,0", 1, 1},
        {"0,123", 0.123, kRefused},
        {"1234,567", 1234.567, kRefused},
        {"6.283", 6.283, kRefused},
        {"1,000", kRefused, kRefused}, // one thousand or one
        {"1.000", kRefused, kRefused},
        {"-12,500", kRefused, kRefused},
        {"1,024", kRefused, kRefused},
        {"1,000,000", 1e6, 1000000},
        {"1.000.000", 1e6, 1000000},
        {"10,00,000", 1e6, 1000000}, // as in India
        {"1,000.5", 1000.5, kRefused},
        {"1.000,5", 1000.5, kRefused},
        {"1,000.0", 1000, 1000},
        {"1 000", 1000, 1000},
        {"1\u00a0000", 1000, 1000},
        {"1\u202f000,5", 1000.5, kRefused},
        {"1'000", 1000, 1000},
        {"1’000.5", 1000.5, kRefused},
        {"1_000", 1000, 1000},
        {"12 34", kRefused, kRefused},
        {"1,00,5", kRefused, kRefused},
        {"1,000 000", kRefused, kRefused},
        {"1.2.3", kRefused, kRefused},
        {"0,000,001", kRefused, kRefused},
        {" 64 ", 64, 64},
        {"64\n", 64, 64},
        {"\t64\r\n", 64, 64},
        {"6\n4", kRefused, kRefused},
        {"64\t128", kRefused, kRefused},
        {"\ufeff64\u200b", 64, 64},
        {"\u200f64\u200e", 64, 64},
        {"\u22125", -5, -5},
        {"\u20135", -5, -5},
        {"- 5", -5, -5},
        {"+5", 5, 5},
        {"--5", kRefused, kRefused},
        {"5-", kRefused, kRefused},
        {"1-5", kRefused, kRefused},
        {"６４", 64, 64},
        {"０，０２", 0.02, kRefused},
        {"٠٫٠٢", 0.02, kRefused},
        {"١٬٠٠٠", 1000, 1000},
        {"١٬٠٠٠٫٥", 1000.5, kRefused},
        {"٠،٠٢", 0.02, kRefused},
        {"۶۴", 64, 64},
        {"६४", 64, 64},
        {"1e-3", 0.001, kRefused},
        {"1E3", 1000, 1000},
        {"2.5e2", 250, 250},
        {"1,5e-3", 0.0015, kRefused},
        {"1e\u22123", 0.001, kRefused},
        {"1e", kRefused, kRefused},
        {"e5", kRefused, kRefused},
        {"1e5.5", kRefused, kRefused},
        {"64.0", 64, 64},
        {"64.5", 64.5, kRefused},
        {"007", 7, 7},
        {"", kRefused, kRefused},
        {".", kRefused, kRefused},
        {"-", kRefused, kRefused},
        {"2^10", kRefused, kRefused},
        {"2*3", kRefused, kRefused},
        {"1/2", kRefused, kRefused},
        {"½", kRefused, kRefused},
        {"2²", kRefused, kRefused},
        {"0x10", kRefused, kRefused},
        {"inf", kRefused, kRefused},
        {"-Infinity", kRefused, kRefused},
        {"nan", kRefused, kRefused},
        {"∞", kRefused, kRefused},
        {"5 %", kRefused, kRefused},
        {"$5", kRefused, kRefused},
        {"64 px", kRefused, kRefused},
        {"12x", kRefused, kRefused},
        {"1k", kRefused, kRefused},
        {"(5)", kRefused, kRefused},
        {"1e400", kRefused, kRefused},
        {"1e-400", kRefused, kRefused},
        {"1e999999999999", kRefused, kRefused},
        {"9007199254740993", 9007199254740992.0, 9007199254740993},
        {"9223372036854775807", 9223372036854775807.0, std::numeric_limits<std::int64_t>::max()},
        {"9223372036854775808", 9223372036854775808.0, kRefused},
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
    for (Dock* dock : window.panels().docks())
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
            {"1,000", Real, "“1,000” is ambiguous (1000 or 1): write 1000 or 1."},
            {"1,234", Real, "“1,234” is ambiguous (1234 or 1.234): write 1234 or 1.234."},
            {"1.000", Real, "“1.000” is ambiguous (1000 or 1): write 1000 or 1."},
            {"1,024", Whole, "“1,024” is ambiguous (1024, or 1.024, which is not a whole number): write 1024."},
            {"1.000", Whole, "“1.000” is ambiguous (1000 or 1): write 1000 or 1."},
            {"0,02", Whole, "“0,02” is not a whole number."},
            {"1e-3", Seed, "“1e-3” is not a whole number."},
            {"-1", Seed, "“-1” is below 0; enter 0 to 18446744073709551615."},
            {"1e30", Whole, "“1e30” has too many digits; enter -9223372036854775808 to 9223372036854775807."},
            {"1e400", Real, "“1e400” is too large; the largest number is 1.8e308."},
            {"1e-400", Real, "“1e-400” is too small: it rounds to 0."},
            {"nan", Real, "“nan” is not a number: a finite number is expected."},
            {"0x1F", Whole, "“0x1F” is not a decimal number: write 31."},
            {"5 %", Real, "“5 %” is not a number: write 0.05."},
            {"2^10", Whole, "“2^10” is not a number."},
            {" \n ", Real, "Enter a number."},
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
                const bool isOfNode = studio.window.panel<InspectorPanel>().isAncestorOf(field);
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
            const ParamForm& form = studio.window.panel<InspectorPanel>().page()->form();
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
};

static const AreaOf<TypedNumbersTest> typedNumbersTestArea("typedNumbers");

} // namespace unroll::test

#include "typed_numbers_test.moc"
