// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/help_text.h"
#include "app/studio/inspector/unrolled_sketch.h"
#include "app/studio/palette/palette_popup.h"
#include "app/studio/preferences/commands.h"
#include "app/studio/preferences/key_sheet.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/window/help_window.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <QDir>
#include <QHeaderView>
#include <QRegularExpression>

namespace unroll::test {

namespace {

/// F1 with the keyboard on this widget; the page that came.
QString helpOn(Studio& studio, QWidget* focus)
{
    studio.window.activateWindow();
    (void)comes([&] { return QApplication::activeWindow() == &studio.window; });
    focus->setFocus();
    QTest::keyClick(focus, Qt::Key_F1);
    auto* help = studio.window.findChild<HelpWindow*>();
    return help != nullptr && help->isVisible() ? help->markdown() : QString();
}

/// A part of the panel that has taken the keyboard; null: none does.
QWidget* focused(Studio& studio, QWidget& panel)
{
    studio.window.activateWindow();
    (void)QTest::qWaitForWindowActive(&studio.window);
    for (auto* part : panel.findChildren<QWidget*>()) {
        if (!part->isVisible() || !part->isEnabled() || !(part->focusPolicy() & Qt::TabFocus))
            continue;
        part->setFocus();
        QWidget* now = QApplication::focusWidget();
        if (now != nullptr && panel.isAncestorOf(now))
            return now;
    }
    return nullptr;
}

} // namespace

class HelpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aNodeThatIsSelectedHasTheHelpOfItsBlock()
    {
        Studio studio;
        for (const char* name : {"lstm", "embedding", "text"}) {
            if (studio.graph().findByName(name) == nullptr)
                continue;
            studio.window.scene().select({studio.id(name)});
            const BlockSpec& spec = *studio.registry.find(studio.graph().findByName(name)->block);
            const QString page = helpOn(studio, &studio.window.canvas());
            QVERIFY2(page.contains(QString::fromStdString(spec.helpText)), name);
        }
        studio.window.scene().pick({});
        QVERIFY(helpOn(studio, &studio.window.canvas()).startsWith("# Canvas"));
    }

    /// Five cells side by side, of a block with a state alone; the word between them is that of its state.
    void aRecurrentBlockIsDrawnOverFiveSteps()
    {
        Studio studio;
        HelpWindow window(studio.appearance, nullptr);
        for (const auto& [block, word] :
             {std::pair{"lstm", "h, c"}, {"gru", "h"}, {"attention", "state"}, {"linear", ""}}) {
            const BlockSpec& spec = *studio.registry.find(block);
            window.showBlock(spec);
            window.show();
            auto* sketch = window.findChild<UnrolledSketch*>();
            QCOMPARE(sketch != nullptr, spec.recurrent);
            if (sketch == nullptr)
                continue;
            QCOMPARE(stateWord(spec), QString(word));
            sketch->resize(360, sketch->height());
            const QImage image = sketch->grab().toImage();
            int cells = 0; // edges of boxes along the line below the words, from ground to body
            const QColor body = studio.appearance.theme()[Theme::Role::NodeBody];
            const int y = image.height() / 2 + image.height() / UnrolledSketch::kSteps / 3;
            bool inside = false;
            for (int x = 0; x < image.width(); ++x) {
                const bool now = image.pixelColor(x, y) == body;
                cells += now && !inside;
                inside = now;
            }
            QVERIFY2(cells >= UnrolledSketch::kSteps, block);
        }
    }

    void everyPanelHasAPage()
    {
        Studio studio;
        studio.window.scene().pick({});
        int looked = 0;
        for (Dock* dock : studio.window.panels().docks()) {
            QVERIFY2(QFile::exists(":/help/" + dock->objectName() + ".md"), qPrintable(dock->objectName()));
            dock->show();
            dock->raise();
            QVERIFY(comeToRest(*dock));
            QWidget* focus = focused(studio, *dock->widget());
            if (focus == nullptr)
                continue; // an empty one
            ++looked;
            const QString page = helpOn(studio, focus);
            QFile file(":/help/" + dock->objectName() + ".md");
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(dock->objectName()));
            QCOMPARE(page.section('\n', 0, 0), QString::fromUtf8(file.readLine()).trimmed());
        }
        QVERIFY2(looked >= 4, qPrintable(QString::number(looked)));
        studio.window.startMode().show();
        const QString page = helpOn(studio, &studio.window.startPage());
        QVERIFY2(page.startsWith("# Unroll"), qPrintable(page.left(80)));
    }

    /// In the panel and in the popup, where a heading was clicked too.
    void theListOfBlocksHasThePageOfBlocks()
    {
        Studio studio;
        Dock& dock = studio.window.panels().dock("palette");
        dock.show();
        dock.raise();
        QVERIFY(comeToRest(dock));
        studio.window.activateWindow();
        (void)QTest::qWaitForWindowActive(&studio.window);
        studio.window.canvas().setFocus();
        auto* list = dock.findChild<BlockList*>();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(0, 0)).center());
        QCOMPARE(studio.window.focusWidget(), list);
        const QString page = helpOn(studio, list);
        QVERIFY2(page.startsWith("# Blocks"), qPrintable(page.left(80)));
        studio.window.findChild<HelpWindow*>()->showTopic("app");
        auto* popup = studio.window.findChild<PalettePopup*>();
        popup->openAt(studio.window.canvas().mapToGlobal(studio.window.canvas().rect().center()));
        QVERIFY(helpOn(studio, &popup->picker().field()).startsWith("# Blocks"));
    }

    void theMenuHasTheFamilyOfCells()
    {
        Studio studio;
        studio.window.actions().family->trigger();
        auto* help = studio.window.findChild<HelpWindow*>();
        QVERIFY(help != nullptr && help->isVisible());
        QVERIFY(help->markdown().startsWith("# Family of cells"));
        for (const char* words :
             {"num_layers · directions · units = ", "arxiv.org/abs/2502.10297", "Note: num_householder is 2"})
            QVERIFY2(help->markdown().contains(words), words);
    }

    /// Commands named in braces exist, and their keys stand in their place.
    void pagesNameCommandsThatExist()
    {
        Studio studio;
        QStringList names;
        for (const CommandGroup& group : commandGroups(studio.window))
            for (const QAction* command : group.commands)
                names << command->objectName();
        static const QRegularExpression braces("\\{([A-Za-z]+)\\}"); // {t-1} is an index
        const QStringList pages = QDir(":/help").entryList();
        QVERIFY(pages.size() >= 10);
        for (const QString& page : pages) {
            QFile file(":/help/" + page);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(file.readAll());
            for (auto match = braces.globalMatch(text); match.hasNext();) {
                const QString name = match.next().captured(1);
                QVERIFY2(names.contains(name), qPrintable(page + ": " + name));
            }
            HelpWindow help(studio.appearance, nullptr);
            help.showTopic(page.chopped(3));
            QVERIFY2(!help.markdown().contains(braces), qPrintable(page));
        }
    }

    /// From the palette to the family, from there to every cell, and back.
    void theFamilyOfCellsIsBrowsed()
    {
        Studio studio;
        HelpWindow help(studio.appearance, nullptr);
        help.setBlocks(studio.registry);
        const auto follow = [&](const QString& page) {
            QMetaObject::invokeMethod(help.findChild<HelpText*>(), "anchorClicked", Q_ARG(QUrl, QUrl(page)));
            QCoreApplication::processEvents();
        };
        help.showTopic("palette");
        QVERIFY(help.markdown().contains("(help:family)"));
        follow("help:family");
        const QString family = help.markdown();
        QVERIFY(family.startsWith("# Family of cells"));
        static const QRegularExpression link("\\(block:([a-z0-9_]+)\\)");
        QStringList cells;
        for (auto match = link.globalMatch(family); match.hasNext();)
            cells << match.next().captured(1);
        QVERIFY(cells.size() > 30);
        for (const QString& cell : cells) {
            const BlockSpec* spec = studio.registry.find(cell.toStdString());
            QVERIFY2(spec != nullptr, qPrintable(cell));
            follow("block:" + cell);
            QVERIFY2(help.markdown().contains(QString::fromStdString(spec->helpText)), qPrintable(cell));
            follow("help:family");
            QCOMPARE(help.markdown(), family);
        }
        help.showBlock(*studio.registry.find("linear"));
        QVERIFY(!help.markdown().contains("(help:family)"));
    }

    void theQuestionMarkOpensTheKeys()
    {
        Studio studio;
        studio.window.canvas().setFocus();
        QTest::keyClick(&studio.window, Qt::Key_Question);
        auto* sheet = studio.window.findChild<KeySheet*>();
        QVERIFY(sheet != nullptr && sheet->isVisible());
        // Every command with a key, under its menu, and no other.
        QMap<QString, QString> said;
        for (int g = 0; g < sheet->list().topLevelItemCount(); ++g) {
            const auto* group = sheet->list().topLevelItem(g);
            for (int i = 0; i < group->childCount(); ++i)
                said[group->text(0) + '/' + group->child(i)->text(0)] = group->child(i)->text(1);
        }
        qsizetype count = 0;
        for (const CommandGroup& group : commandGroups(studio.window))
            for (const QAction* command : group.commands)
                if (!command->shortcuts().isEmpty()) {
                    ++count;
                    QCOMPARE(said.value(group.title + '/' + commandText(*command)), keysText(*command));
                }
        QCOMPARE(said.size(), count);
        QVERIFY(count > 40);
        QVERIFY(said.value("Edit/Preferences").contains("Ctrl+,"));
        QVERIFY(said.value("Help/Keys") == "?");
    }

    void itIsSearched()
    {
        Studio studio;
        studio.window.actions().keys->trigger();
        auto* sheet = studio.window.findChild<KeySheet*>();
        const int all = sheet->shown();
        sheet->search().setText("redo");
        QCOMPARE(sheet->shown(), 1);
        sheet->search().setText("ctrl+shift edit");
        QVERIFY(sheet->shown() > 1 && sheet->shown() < all);
        sheet->search().setText("nothing of this name");
        QCOMPARE(sheet->shown(), 0);
        sheet->search().clear();
        QCOMPARE(sheet->shown(), all);
        // A key that is changed is changed here too.
        Choices next = studio.context.preferences->choices();
        next.keys["tidy"] = {QKeySequence("Ctrl+Alt+L")};
        studio.context.preferences->set(next);
        sheet->search().setText("ctrl+alt+l");
        QCOMPARE(sheet->shown(), 1);
        QTest::keyClick(sheet, Qt::Key_Escape);
        QTRY_VERIFY(studio.window.findChild<KeySheet*>() == nullptr);
    }

    void itIsReadInBothThemes_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void itIsReadInBothThemes()
    {
        QFETCH(bool, dark);
        Studio studio;
        studio.appearance.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        studio.window.actions().keys->trigger();
        auto* sheet = studio.window.findChild<KeySheet*>();
        const QImage picture = sheet->list().viewport()->grab().toImage();
        const auto ink = [&](const QTreeWidgetItem* item, int column) {
            double best = 1;
            const QRect place = sheet->list().visualItemRect(item);
            const int left = column == 0 ? place.left() : sheet->list().header()->sectionViewportPosition(1);
            for (int y = place.top(); y < place.bottom(); ++y)
                for (int x = left; x < place.right(); ++x)
                    if (picture.rect().contains(x, y))
                        best = std::max(best, contrastRatio(picture.pixelColor(x, y),
                                                            picture.pixelColor(place.right() - 1, place.top() + 1)));
            return best;
        };
        const auto* group = sheet->list().topLevelItem(0);
        QVERIFY(ink(group, 0) > 4.5);
        QVERIFY(ink(group->child(0), 0) > 4.5);
        QVERIFY(ink(group->child(0), 1) > 4.5);
    }

    void theSheetLeadsToThePreferences()
    {
        Studio studio;
        studio.window.actions().keys->trigger();
        QVERIFY(clickOn(*studio.window.findChild<KeySheet*>(), "Change Keys …"));
        auto* dialog = studio.window.findChild<PreferencesDialog*>();
        QVERIFY(dialog != nullptr && dialog->keys().isVisible());
        studio.window.actions().preferences->trigger(); // one dialog, brought
        QCOMPARE(studio.window.findChildren<PreferencesDialog*>().size(), 1);
    }
};

static const AreaOf<HelpTest> helpTestArea("help");

} // namespace unroll::test

#include "help_test.moc"
