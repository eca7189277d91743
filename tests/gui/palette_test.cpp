// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/block_mime.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/palette/block_picture.h"
#include "app/studio/palette/palette_panel.h"
#include "app/studio/palette/palette_popup.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/parts.h"

#include <QAbstractItemModelTester>
#include <QScrollBar>
#include <QSignalSpy>
#include <memory>

namespace unroll::test {

namespace {

QStringList everyBlock(const BlockRegistry& registry)
{
    QStringList ids;
    for (const BlockMatch& match : searchBlocks(registry, {}, {}))
        ids << QString::fromStdString(match.spec->id);
    return ids;
}

QStringList shown(const BlockList& list)
{
    QStringList ids;
    for (int row = 0; row < list.blocks().rowCount(); ++row)
        if (const BlockMatch* match = list.blocks().at(row))
            ids << QString::fromStdString(match->spec->id);
    return ids;
}

QString currentOf(const BlockPicker& picker)
{
    const BlockSpec* spec = picker.list().current();
    return spec == nullptr ? QString() : QString::fromStdString(spec->id);
}

QRect rowOf(const BlockPicker& picker, const BlockSpec& spec)
{
    return picker.list().visualRect(picker.list().model()->index(picker.list().blocks().rowOf(spec), 0));
}

void click(const BlockPicker& picker, const QPoint& at)
{
    QTest::mouseClick(picker.list().viewport(), Qt::LeftButton, {}, at);
}

/// A popup over the window, opened in the middle of the canvas.
struct OpenPopup {
    explicit OpenPopup(const BlockFilter& fits = {})
        : recent(studio.settings),
          popup(studio.registry, recent, studio.appearance, &studio.window),
          chosen(&popup, &PalettePopup::chosen),
          dismissed(&popup, &PalettePopup::dismissed)
    {
        studio.window.canvas().setFocus();
        open(fits);
    }
    void open(const BlockFilter& fits = {})
    {
        QWidget& canvas = *studio.window.canvas().viewport();
        popup.openAt(canvas.mapToGlobal(canvas.rect().center()), fits);
    }
    void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    void key(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    const BlockPicker& picker() { return popup.picker(); }

    Studio studio;
    RecentBlocks recent;
    PalettePopup popup;
    QSignalSpy chosen;
    QSignalSpy dismissed;
};

/// The panel in a window of its own.
struct ShownPanel {
    ShownPanel()
        : registry(allSpecs()),
          appearance(ThemeChoice::Light),
          panel(registry, appearance),
          asked(&panel, &PalettePanel::placeAsked)
    {
        panel.resize(230, 700);
        panel.show();
        panel.activateWindow();
        (void)QTest::qWaitForWindowActive(&panel);
        panel.setFocus();
    }
    const BlockPicker& picker() { return panel.picker(); }

    BlockRegistry registry;
    Appearance appearance;
    PalettePanel panel;
    QSignalSpy asked;
};

} // namespace

class PaletteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePopupGoesByKeyboard()
    {
        OpenPopup open;
        QVERIFY(open.popup.isVisible());
        QVERIFY(open.picker().field().hasFocus());
        QVERIFY(!currentOf(open.picker()).isEmpty()); // Enter would take it
        open.type("gr");
        QCOMPARE(currentOf(open.picker()), QStringLiteral("gru"));
        open.key(Qt::Key_Down);
        QCOMPARE(currentOf(open.picker()), QStringLiteral("grumml"));
        open.key(Qt::Key_Up);
        open.key(Qt::Key_Up); // the end
        QCOMPARE(currentOf(open.picker()), QStringLiteral("gru"));
        open.key(Qt::Key_Down);
        open.key(Qt::Key_Return);
        QCOMPARE(open.chosen.count(), 1);
        QCOMPARE(open.chosen[0][0].toString(), QStringLiteral("grumml"));
        QVERIFY(!open.popup.isVisible());
        QVERIFY(open.studio.window.canvas().hasFocus());
        QCOMPARE(open.dismissed.count(), 0);
        open.open(); // again, and Tab takes too
        QCOMPARE(open.picker().field().text(), QString());
        open.type("lstm");
        open.key(Qt::Key_Tab);
        QCOMPARE(open.chosen.count(), 2);
        QCOMPARE(open.chosen[1][0].toString(), QStringLiteral("lstm"));
    }

    void pagesSkipHeadings()
    {
        OpenPopup open;
        const QStringList ids = shown(open.picker().list());
        QVERIFY(open.picker().list().blocks().rowCount() > ids.size());
        QCOMPARE(currentOf(open.picker()), ids.first());
        for (qsizetype i = 1; i < ids.size(); ++i) {
            open.key(Qt::Key_Down);
            QCOMPARE(currentOf(open.picker()), ids[i]);
        }
        open.key(Qt::Key_PageUp);
        QVERIFY(currentOf(open.picker()) != ids.last());
        for (qsizetype i = 0; i < ids.size(); ++i)
            open.key(Qt::Key_PageUp);
        QCOMPARE(currentOf(open.picker()), ids.first());
        QCOMPARE(open.picker().list().verticalScrollBar()->value(), 0); // its heading is seen too
        for (qsizetype i = 0; i < ids.size(); ++i)
            open.key(Qt::Key_PageDown);
        QCOMPARE(currentOf(open.picker()), ids.last());
    }

    void thePopupGoesByMouse()
    {
        OpenPopup open;
        const BlockPicker& picker = open.picker();
        const QRect heading = picker.list().visualRect(picker.list().model()->index(0, 0));
        click(picker, heading.center());
        QVERIFY(open.popup.isOpen());
        QCOMPARE(open.chosen.count(), 0);
        QVERIFY(picker.field().hasFocus());
        open.type("norm");
        click(picker, rowOf(picker, *open.studio.registry.find("rms_norm")).center());
        QCOMPARE(open.chosen.count(), 1);
        QCOMPARE(open.chosen[0][0].toString(), QStringLiteral("rms_norm"));
        QVERIFY(!open.popup.isVisible());
        QVERIFY(open.studio.window.canvas().hasFocus());
    }

    void thePopupGoesAway()
    {
        OpenPopup open;
        QWidget* canvas = open.studio.window.canvas().viewport();
        open.key(Qt::Key_Escape);
        QVERIFY(!open.popup.isVisible());
        QCOMPARE(open.dismissed.count(), 1);
        QVERIFY(open.studio.window.canvas().hasFocus());

        open.open();
        QTest::mouseClick(canvas, Qt::LeftButton, {}, QPoint(5, 5));
        QVERIFY(!open.popup.isVisible());
        QCOMPARE(open.dismissed.count(), 2);

        open.open();
        auto* field = open.studio.window.runBar().findChild<NumberField*>();
        field->setFocus();
        QVERIFY(!open.popup.isVisible());
        QCOMPARE(open.dismissed.count(), 3);
        QVERIFY(field->hasFocus());
        QCOMPARE(open.chosen.count(), 0);
    }

    void nothingIsSaidInWords()
    {
        OpenPopup open;
        open.type("xyz");
        QVERIFY(!open.picker().list().isVisible());
        QVERIFY(partNamed<QLabel>(open.picker(), "nothingFound").text().contains(QStringLiteral("“xyz”")));
        open.key(Qt::Key_Return);
        QVERIFY(open.popup.isVisible());
        QCOMPARE(open.chosen.count(), 0);
        for (int i = 0; i < 3; ++i)
            open.key(Qt::Key_Backspace);
        QVERIFY(open.picker().list().isVisible());
        QCOMPARE(partNamed<QLabel>(open.picker(), "nothingFound").text(), QString());
    }

    void thePopupOffersWhatFits()
    {
        OpenPopup open(fitting({PortType::Tokens, true}));
        QVERIFY(shown(open.picker().list()).contains("embedding"));
        QVERIFY(!shown(open.picker().list()).contains("lstm"));
        open.type("lstm");
        QVERIFY(!partNamed<QLabel>(open.picker(), "nothingFound").text().isEmpty());
        open.open();
        QVERIFY(shown(open.picker().list()).contains("lstm"));
        open.recent.note("sru");
        open.open();
        QCOMPARE(currentOf(open.picker()), QStringLiteral("sru"));
        QCOMPARE(open.dismissed.count(), 2); // each opening ends
    }

    void thePopupStaysInTheWindow()
    {
        OpenPopup open;
        const QWidget& window = open.studio.window;
        for (const QPoint& at :
             {QPoint(0, 0), QPoint(window.width(), window.height()), QPoint(-50, window.height() / 2)}) {
            open.popup.openAt(window.mapToGlobal(at));
            QVERIFY(window.rect().contains(open.popup.geometry()));
            const QPoint corner = open.popup.pos();
            const int height = open.popup.height();
            open.type("lstm");
            QCOMPARE(open.popup.pos(), corner);
            QVERIFY(open.popup.height() < height);
        }
    }

    void thePanelListsAll()
    {
        ShownPanel shownPanel;
        const BlockList& list = shownPanel.picker().list();
        QAbstractItemModelTester tester(list.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(shown(list), everyBlock(shownPanel.registry));
        QCOMPARE(list.model()->index(0, 0).data().toString(), QString::fromLatin1(categoryTitle(Category::Data)));
        QVERIFY(!(list.model()->flags(list.model()->index(0, 0)) & Qt::ItemIsSelectable));
        const BlockSpec& gru = *shownPanel.registry.find("gru");
        QCOMPARE(list.model()->index(list.blocks().rowOf(gru), 0).data(Qt::ToolTipRole).toString(),
                 QString::fromStdString(gru.summary));
        QVERIFY(list.current() == nullptr);
        QTest::keyClicks(&shownPanel.picker().field(), "norm");
        QVERIFY(shown(list).contains("layer_norm") && shown(list).contains("rms_norm"));
        QVERIFY(shown(list).size() < 10 && !shown(list).contains("gru")); // others are those whose summary says it
        QTest::keyClick(&shownPanel.picker().field(), Qt::Key_Escape);
        QCOMPARE(shownPanel.picker().field().text(), QString());
        QTest::keyClicks(&shownPanel.picker().field(), "xyz");
        QVERIFY(!list.isVisible());
        QVERIFY(partNamed<QLabel>(shownPanel.picker(), "nothingFound").text().contains("xyz"));
    }

    void thePanelAsksForABlock()
    {
        ShownPanel shownPanel;
        const BlockPicker& picker = shownPanel.picker();
        click(picker, rowOf(picker, *shownPanel.registry.find("embedding")).center());
        QCOMPARE(shownPanel.asked.count(), 1);
        QCOMPARE(shownPanel.asked[0][0].toString(), QStringLiteral("embedding"));
        QTest::keyClick(&picker.list(), Qt::Key_Return);
        QCOMPARE(shownPanel.asked.count(), 2);
        QCOMPARE(shownPanel.asked[1][0].toString(), QStringLiteral("embedding"));
        QTest::keyClicks(&picker.field(), "dense");
        QTest::keyClick(&picker.field(), Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(shownPanel.asked.count(), 3);
        QCOMPARE(shownPanel.asked[2][0].toString(), QStringLiteral("linear"));
        QTest::keyClicks(&picker.field(), "xyz");
        QTest::keyClick(&picker.field(), Qt::Key_Return);
        QCOMPARE(shownPanel.asked.count(), 3);
    }

    void aDragCarriesTheBlock()
    {
        ShownPanel shownPanel;
        const BlockList& list = shownPanel.picker().list();
        QVERIFY(list.dragEnabled());
        const BlockSpec& lstm = *shownPanel.registry.find("lstm");
        const QModelIndex row = list.model()->index(list.blocks().rowOf(lstm), 0);
        const std::unique_ptr<QMimeData> data(list.model()->mimeData({row}));
        QVERIFY(data->hasFormat(kBlockMimeType));
        QCOMPARE(blockOf(*data), QStringLiteral("lstm"));
        QCOMPARE(blockOf(QMimeData()), QString());
        // The picture shows the node's header where the pointer holds it.
        for (const double ratio : {1.0, 2.0}) {
            const BlockPicture picture = blockPicture(lstm, shownPanel.registry, shownPanel.appearance, ratio);
            const QImage image = picture.pixmap.toImage();
            QCOMPARE(image.devicePixelRatio(), ratio);
            const QPoint corner = (picture.corner + QPoint(4, kBlockGrip.y())) * ratio; // left of the name
            QCOMPARE(image.pixelColor(corner), shownPanel.appearance.theme().categoryFill(Category::Recurrent));
        }
    }

    void bothThemesAreDrawn()
    {
        OpenPopup open;
        open.type("norm");
        const QWidget& rows = *open.picker().list().viewport();
        const auto cornerOf = [&](const char* id) {
            return rows.mapTo(&open.popup, rowOf(open.picker(), *open.studio.registry.find(id)).topLeft());
        };
        const QPoint first = cornerOf("layer_norm"), second = cornerOf("rms_norm");
        const QPoint edge(2, 2), mark(17, open.picker().list().blockHeight() / 2);
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark, ThemeChoice::Light}) {
            open.studio.appearance.setChoice(choice);
            const Theme& theme = open.studio.appearance.theme();
            const QImage image = open.popup.grab().toImage();
            QCOMPARE(image.pixelColor(first + edge), theme[Theme::Role::Selection]);
            QCOMPARE(image.pixelColor(second + edge), theme[Theme::Role::Panel]);
            QCOMPARE(image.pixelColor(second + mark), theme.categoryFill(Category::Layer));
            QCOMPARE(image.pixelColor(image.width() / 2, 12), theme[Theme::Role::Panel]); // above the field
        }
    }

    void titlesAreWhole()
    {
        ShownPanel shownPanel;
        shownPanel.panel.resize(1, 300); // as narrow as it goes
        const BlockList& list = shownPanel.picker().list();
        const QFontMetrics strong(shownPanel.appearance.font(Type::Strong));
        for (int row = 0; row < list.model()->rowCount(); ++row) {
            const QModelIndex index = list.model()->index(row, 0);
            const QRect place = list.visualRect(index);
            const QFontMetrics caption(shownPanel.appearance.font(Type::Caption));
            const BlockMatch* match = list.blocks().at(row);
            QVERIFY(place.height() >= (match == nullptr ? caption : strong).height());
            if (match != nullptr)
                QVERIFY(place.width() >= 40 + strong.horizontalAdvance(QString::fromStdString(match->spec->title)));
        }
    }
};

static const AreaOf<PaletteTest> paletteTestArea("palette");

} // namespace unroll::test

#include "palette_test.moc"
