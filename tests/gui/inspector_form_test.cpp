// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/data_preview.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/inspector/path_field.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/inspector/split_bar.h"
#include "core/experiment/gallery.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/forms.h"
#include "tests/gui/parts.h"

#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QMimeData>
#include <algorithm>

namespace unroll::test {

namespace {

QToolButton* resetOf(const ParamForm& form, const QString& param)
{
    for (QToolButton* button : form.findChildren<QToolButton*>())
        if (button->accessibleName() == "Reset " + param)
            return button;
    return nullptr;
}

QString toneOf(const ParamForm& form, const std::string& param)
{
    for (const QLabel* label : form.findChildren<QLabel*>())
        if (label->buddy() == form.editor(param))
            return label->property("tone").toString();
    return "no label";
}

/// The data node of an experiment with its page open.
struct DataPage {
    Studio& studio;
    ParamForm& form = formOf(studio, "text");
    DataPreview& preview = *studio.window.panel<InspectorPanel>().page()->findChild<DataPreview*>();

    PathField* file() const { return form.editor("file")->findChild<PathField*>(); }
    QString label(const char* name) const { return preview.findChild<QLabel*>(name)->text(); }
    QPlainTextEdit* part(const char* name) const { return preview.findChild<QPlainTextEdit*>(name); }
    ParamValue given() const { return studio.graph().findByName("text")->params.at("file"); }
};

QString write(const Studio& studio, const QString& name, const QByteArray& text)
{
    QFile file(studio.folder.filePath(name));
    if (file.open(QFile::WriteOnly))
        file.write(text);
    return file.fileName();
}

/// 9,000 characters to train on and 1,000 to validate on that begin otherwise.
QByteArray smallText()
{
    return QByteArray("one two\n").repeated(1125) + QByteArray("six ten\n").repeated(125);
}

void dropOn(QWidget* target, const QList<QUrl>& urls)
{
    QMimeData data;
    data.setUrls(urls);
    const QPoint at = target->rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(target, &enter);
    QDropEvent event(at, Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(target, &event);
}

void typeLine(QLineEdit* field, const QString& text)
{
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
}

QImage pictureOf(const QString& unit, int width)
{
    NumberField field(NumberKind::Whole, unit);
    field.setNumber(std::int64_t{64});
    field.resize(width, field.sizeHint().height());
    return field.grab().toImage();
}

} // namespace

class InspectorFormTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatDiffersFromTheDefaultIsMarkedAndReset()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "lstm");
        const ParamValue before = studio.graph().findByName("lstm")->params.at("units");
        QToolButton* reset = resetOf(form, "units");
        QVERIFY(reset->isVisible());
        QVERIFY(!resetOf(form, "chrono")->isVisible());
        QCOMPARE(toneOf(form, "units"), QString());
        QCOMPARE(toneOf(form, "chrono"), QStringLiteral("dim"));
        QVERIFY2(reset->toolTip().contains("128"), qPrintable(reset->toolTip()));
        QTest::mouseClick(reset, Qt::LeftButton);
        QVERIFY(!studio.graph().findByName("lstm")->params.contains("units"));
        QVERIFY(!reset->isVisible());
        QCOMPARE(toneOf(form, "units"), QStringLiteral("dim"));
        auto* units = form.editor("units")->findChild<NumberField*>();
        QCOMPARE(*units->number(), Number(std::int64_t{128}));
        studio.window.document().undo();
        QCOMPARE(studio.graph().findByName("lstm")->params.at("units"), before);
        QVERIFY(reset->isVisible());
    }

    /// A whole number in a file is no other value than the spec's real one.
    void aDefaultWrittenOtherwiseIsTheDefault()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "embedding");
        const ParamSpec& spec = *studio.registry.find("embedding")->param("init_std");
        QCOMPARE(spec.defaultValue, ParamValue(1.0));
        form.setValues({{"init_std", std::int64_t{1}}});
        QVERIFY(!resetOf(form, "init_std")->isVisible());
        form.setValues({{"init_std", std::int64_t{2}}});
        QVERIFY(resetOf(form, "init_std")->isVisible());
    }

    void keysGoFromFieldToFieldAndReset()
    {
        Studio studio;
        ParamForm& form = formOf(studio, "lstm");
        auto* units = form.editor("units")->findChild<NumberField*>();
        units->setFocus();
        QTest::keyClick(units, Qt::Key_Tab);
        QToolButton* reset = resetOf(form, "units");
        QCOMPARE(QApplication::focusWidget(), reset);
        QTest::keyClick(reset, Qt::Key_Space);
        QVERIFY(!studio.graph().findByName("lstm")->params.contains("units"));
        QCOMPARE(QApplication::focusWidget(), units); // the button went
        QTest::keyClick(units, Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), form.editor("forget_bias")->findChild<NumberField*>());
    }

    void unitsStandBehindTheValue()
    {
        Studio studio; // its style
        QVERIFY(pictureOf("steps", 160) != pictureOf("", 160));
        QCOMPARE(pictureOf("steps", 64), pictureOf("", 64)); // no room
        const QString help = formOf(studio, "text").editor("steps")->toolTip();
        QVERIFY2(help.contains("Range: 1 to 1,000,000 steps") && help.contains("Default: 64 steps"), qPrintable(help));
    }

    void rangesAreSaidInWords()
    {
        const ParamSpec real{.name = "rate", .type = ParamType::Real, .defaultValue = 1e-8, .minimum = 0.001};
        QCOMPARE(paramRangeText(real), QStringLiteral("at least 0.001"));
        QCOMPARE(paramDefaultText(real), QStringLiteral("1e-8"));
        const ParamSpec below{.name = "n", .type = ParamType::Int, .defaultValue = std::int64_t{1}, .maximum = 1e6};
        QCOMPARE(paramRangeText(below), QStringLiteral("at most 1,000,000"));
        const ParamSpec choice{.name = "unit",
                               .type = ParamType::Choice,
                               .defaultValue = std::string("a"),
                               .choices = {{"a", ""}, {"b", ""}, {"c", ""}}};
        QCOMPARE(paramRangeText(choice), QStringLiteral("a, b or c"));
        const ParamSpec path{.name = "file", .type = ParamType::Path, .defaultValue = std::string()};
        QCOMPARE(paramRangeText(path), QString());
        QCOMPARE(paramDefaultText(path), QStringLiteral("nothing"));
        const ParamSpec flag{.name = "bias", .type = ParamType::Bool, .defaultValue = true};
        QCOMPARE(paramDefaultText(flag), QStringLiteral("on"));
    }

    void aDroppedFileIsTakenAndShown()
    {
        Studio studio;
        const DataPage page{studio};
        const QString file = write(studio, "small.txt", smallText());
        dropOn(page.file(), {QUrl::fromLocalFile(file)});
        QCOMPARE(page.file()->text(), file);
        QCOMPARE(page.given(), ParamValue(file.toStdString()));
        QTRY_VERIFY2(page.label("words").contains("small.txt: 10,000 characters"), qPrintable(page.label("words")));
        QCOMPARE(page.label("classes"), QStringLiteral("Alphabet of 10"));
        QCOMPARE(page.label("alphabet"), QStringLiteral("↵ ␣ e i n o s t w x"));
        QCOMPARE(page.label("trainingSize"), QStringLiteral("training 9,000"));
        QCOMPARE(page.label("validationSize"), QStringLiteral("validation 1,000"));
        QCOMPARE(page.preview.findChild<SplitBar*>()->validationShare(), 0.1);
        QVERIFY(page.part("training")->toPlainText().startsWith("one two↵\none two↵\n"));
        QVERIFY(page.part("validation")->toPlainText().startsWith("six ten↵\nsix ten↵\n"));
        QCOMPARE(page.part("training")->toPlainText().remove("↵").size(), DataSummary::kShownTokens);
        QVERIFY(page.part("training")->isReadOnly());
        studio.window.document().undo();
        QVERIFY(!studio.window.document().history().canUndo()); // it was one step
        QTRY_VERIFY(page.label("words").contains("fables"));
        QVERIFY(page.label("limits").startsWith("Lower bound of the validation loss: 0."));
    }

    void onlyOneFileIsTaken()
    {
        PathField field;
        const QUrl file = QUrl::fromLocalFile("/some/file.txt");
        dropOn(&field, {file, file});
        dropOn(&field, {QUrl("https://example.org/file.txt")});
        QCOMPARE(field.text(), QString());
        dropOn(&field, {file});
        QCOMPARE(field.text(), QStringLiteral("/some/file.txt"));
    }

    void aFileIsChosenInADialog()
    {
        Studio studio;
        const DataPage page{studio};
        const QString file = write(studio, "small.txt", smallText());
        QTest::mouseClick(page.form.editor("file")->findChild<QToolButton*>(), Qt::LeftButton);
        QPointer<QFileDialog> dialog = page.file()->findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        dialog->findChild<QLineEdit*>("fileNameEdit")->setText(file);
        static_cast<QDialog*>(dialog)->accept();
        QCOMPARE(page.given(), ParamValue(file.toStdString()));
        QTRY_VERIFY(page.label("words").contains("small.txt"));
        QTRY_VERIFY(dialog == nullptr);
    }

    void aMissingFileIsSaidOnceAtItsField()
    {
        Studio studio;
        const DataPage page{studio};
        QTRY_VERIFY(page.part("training")->isVisible());
        typeLine(page.file(), studio.folder.filePath("none.txt"));
        QTRY_VERIFY(page.file()->property("wrong").toBool());
        QCOMPARE(saying(*studio.window.panel<InspectorPanel>().page(), "none.txt"), 1);
        QVERIFY(page.form.editor("file")->toolTip().contains("none.txt"));
        QVERIFY(!page.preview.isVisible());
        typeLine(page.file(), write(studio, "some.txt", smallText()));
        QTRY_VERIFY(page.part("training")->isVisible());
        QTRY_VERIFY(!page.file()->property("wrong").toBool());
        QVERIFY(page.label("words").contains("some.txt"));
    }

    /// The same path, another text: the next check of anything reads it.
    void aFileThatChangedIsReadAgain()
    {
        Studio studio;
        const DataPage page{studio};
        const QString file = write(studio, "small.txt", smallText());
        Document& document = studio.window.document();
        QVERIFY(document.apply(edits::setParam(studio.id("text"), "file", file.toStdString())));
        QTRY_COMPARE(page.label("validationSize"), QStringLiteral("validation 1,000"));
        write(studio, "small.txt", smallText() + smallText());
        QVERIFY(document.apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{40})));
        QTRY_COMPARE(page.label("validationSize"), QStringLiteral("validation 2,000"));
        QVERIFY(document.apply(edits::setParam(studio.id("text"), "validation_fraction", 0.25)));
        QTRY_COMPARE(page.label("validationSize"), QStringLiteral("validation 5,000"));
    }

    void aLargeAlphabetIsCutAndCodesStandForWhatDoesNotShow()
    {
        Studio studio;
        const DataPage page{studio};
        QString text;
        for (int i = 0; i < 5000; ++i)
            text += QChar(0x4E00 + i % 300);
        typeLine(page.file(), write(studio, "many.txt", text.toUtf8()));
        QTRY_COMPARE(page.label("classes"), QStringLiteral("Alphabet of 300"));
        QVERIFY(page.label("alphabet").endsWith("… and 172 more"));
        QCOMPARE(visibleText("a\tb\r\n\x01"), QStringLiteral("a\tb\\x0D↵\n\\x01"));
    }

    void whatIsMadeAnewHasNoEnd()
    {
        Studio studio;
        const auto copy = findExperiment("copy-lstm");
        QVERIFY(copy.has_value() && studio.window.files().open(QString::fromStdString(copy->string())));
        Document& document = studio.window.document();
        QTRY_VERIFY(document.checked()->source != 0);
        studio.window.scene().select({document.checked()->source});
        auto* preview = studio.window.panel<InspectorPanel>().page()->findChild<DataPreview*>();
        QCOMPARE(preview->findChild<QLabel*>("trainingSize")->text(), QStringLiteral("training without end"));
        QVERIFY(preview->findChild<QLabel*>("validationSize")->text().startsWith("validation 4"));
        QVERIFY(!preview->findChild<SplitBar*>()->isVisible());
        QVERIFY(preview->findChild<QPlainTextEdit*>("training")->toPlainText().contains("_|_"));
    }

    void whatIsOldIsGreyedOutOnceItTakesLong()
    {
        Appearance appearance(ThemeChoice::Light);
        DataPreview preview(appearance);
        preview.show();
        auto* words = preview.findChild<QLabel*>("words");
        auto* text = preview.findChild<QPlainTextEdit*>("training");
        preview.setSummary(nullptr, {});
        QCOMPARE(words->text(), QStringLiteral("Reading …"));
        QVERIFY(!text->isVisible());
        DataSummary summary;
        summary.description = "a string";
        summary.training = {9, "one"};
        summary.validation = {1, "two"};
        preview.setSummary(std::make_shared<const DataSummary>(summary), {});
        QCOMPARE(words->text(), QStringLiteral("a string"));
        QVERIFY(text->isVisible() && text->isEnabled());
        const Params later{{"file", std::string("b.txt")}};
        preview.setSummary(std::make_shared<const DataSummary>(summary), later);
        QCOMPARE(words->text(), QStringLiteral("a string")); // it may come at once
        QTRY_COMPARE(words->text(), QStringLiteral("Reading …"));
        QVERIFY(text->isVisible() && !text->isEnabled());
        summary.given = later;
        summary.description = "b text";
        preview.setSummary(std::make_shared<const DataSummary>(summary), later);
        QCOMPARE(words->text(), QStringLiteral("b text"));
        QVERIFY(text->isEnabled());
    }

    void theShareOfTheCostFollowsAnEdit()
    {
        Studio studio;
        formOf(studio, "lstm");
        const auto expected = [&studio] {
            const CheckedGraph& checked = *studio.window.document().checked();
            const auto part = static_cast<double>(checked.nodes.at(studio.id("lstm")).cost.parameters);
            return QStringLiteral("(%1\u00a0% of all)").arg(qRound(100 * part / checked.cost.parameters));
        };
        const QString before = expected();
        QVERIFY2(partNamed<QLabel>(*studio.window.panel<InspectorPanel>().page(), "cost").text().contains(before),
                 qPrintable(before));
        const auto checked = studio.window.document().checked();
        QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm_2"), "units", std::int64_t{8})));
        QTRY_VERIFY(studio.window.document().checked() != checked);
        QVERIFY(expected() != before);
        const QString words = partNamed<QLabel>(*studio.window.panel<InspectorPanel>().page(), "cost").text();
        QVERIFY2(words.contains(expected()) && !words.contains(before), qPrintable(words));
    }
};

static const AreaOf<InspectorFormTest> inspectorFormTestArea("inspectorForm");

} // namespace unroll::test

#include "inspector_form_test.moc"
