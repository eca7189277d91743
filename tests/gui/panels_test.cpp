// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/lesson_step_button.h"
#include "core/experiment/gallery.h"
#include "core/experiment/lesson.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QMenu>
#include <QMenuBar>
#include <set>

namespace unroll::test {

namespace {

/// How many of the ways to say where a panel stands are used.
int waysOf(const PanelPlace& place)
{
    return (place.edge != Qt::NoDockWidgetArea ? 1 : 0) + (*place.below != '\0' ? 1 : 0) +
           (*place.rightOf != '\0' ? 1 : 0) + (*place.behind != '\0' ? 1 : 0);
}

/// The names of other panels that a place stands on.
std::vector<QString> namedBy(const PanelPlace& place)
{
    std::vector<QString> names;
    for (const char* name : {place.below, place.rightOf, place.behind})
        if (*name != '\0')
            names.emplace_back(name);
    return names;
}

QMenu* menuOf(const QMenuBar& bar, const QString& title)
{
    for (QAction* action : bar.actions())
        for (QAction* entry : action->menu()->actions())
            if (entry->menu() != nullptr && entry->menu()->title() == title)
                return entry->menu();
    return nullptr;
}

} // namespace

/// The table of panels, and what is made from it.
class PanelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theTableIsComplete()
    {
        const std::vector<PanelSpec> table = panelTable();
        std::set<QString> ids, titles;
        for (const PanelSpec& panel : table) {
            QVERIFY2(ids.insert(panel.id).second, panel.id);
            QVERIFY2(!panel.title.isEmpty() && titles.insert(panel.title).second, panel.id); // tabs are known by it
            QVERIFY2(panel.make != nullptr, panel.id);
            QStringList layouts;
            for (const auto& [layout, place] : panel.places)
                layouts << layout;
            QStringList all = layoutNames();
            all.sort();
            QVERIFY2(layouts == all, panel.id);
        }
    }

    void everyPlaceStandsOnOneThatComesBefore()
    {
        const std::vector<PanelSpec> table = panelTable();
        for (const QString& layout : layoutNames()) {
            std::map<QString, PanelPlace> places;
            for (const PanelSpec& panel : table)
                places[panel.id] = panel.places.at(layout);
            for (const auto& [id, place] : places) {
                const QByteArray where = (layout + ' ' + id).toLatin1();
                QVERIFY2(waysOf(place) == 1, where);
                for (const QString& name : namedBy(place))
                    QVERIFY2(places.contains(name) && places.at(name).order < place.order, where);
                for (const PanelSize& size : {place.width, place.height})
                    QVERIFY2(*size.besides == '\0' || places.contains(size.besides), where);
                QVERIFY2(place.shown || !place.raised, where);
            }
        }
    }

    void whatComesLaterStandsBehindState()
    {
        const PanelSpec panel = panelBehindState("later", "Later", [](const PanelContext&) { return new QWidget; });
        for (const QString& layout : layoutNames()) {
            const PanelPlace& place = panel.places.at(layout);
            QVERIFY(!place.shown && QString(place.behind) == "state" && waysOf(place) == 1);
            for (const PanelSpec& other : panelTable())
                QVERIFY2(other.places.at(layout).order <= place.order, other.id);
        }
    }

    void layoutsShowWhatTheTableSays()
    {
        Studio studio;
        for (const QString& layout : layoutNames()) {
            QVERIFY(studio.window.arrange(layout));
            for (const PanelSet::Panel& panel : studio.window.panels().all()) {
                const QByteArray where = (layout + ' ' + panel.spec.id).toLatin1();
                const PanelPlace& place = panel.spec.places.at(layout);
                QVERIFY2(panel.dock->isHidden() != place.shown, where);
                if (place.edge != Qt::NoDockWidgetArea)
                    QVERIFY2(studio.window.dockWidgetArea(panel.dock) == place.edge, where);
                if (place.shown && *place.behind != '\0')
                    QVERIFY2(studio.window.tabifiedDockWidgets(panel.dock)
                                 .contains(&studio.window.panels().dock(place.behind)),
                             where);
            }
        }
    }

    void theViewMenuHasEveryPanelInOrder()
    {
        Studio studio;
        const QMenu* menu = menuOf(*studio.window.menuBar(), "&Panels");
        QVERIFY(menu != nullptr);
        QList<QAction*> wanted;
        for (const Dock* dock : studio.window.panels().docks())
            if (!isLensPanel(dock->objectName())) // they have a menu of their own, see lens_views_test
                wanted << dock->toggleViewAction();
        QCOMPARE(menu->actions(), wanted);
        const QMenu* layouts = menuOf(*studio.window.menuBar(), "&Layout");
        QVERIFY(layouts != nullptr);
        QCOMPARE(layouts->actions().size(), layoutNames().size() + 2);
    }

    /// Steps whose place the window does not have would be left out.
    void everyStepOfEveryLessonHasItsPlace()
    {
        Studio studio;
        for (const auto& experiment : galleryExperiments()) {
            const auto lesson = lessonOf(experiment);
            QVERIFY2(lesson.has_value(), experiment.string().c_str());
            std::set<QString> places{"run"};
            for (const PanelSpec& panel : panelTable())
                places.insert(panel.id);
            for (const LessonStep& step : lesson->steps)
                QVERIFY2(places.contains(QString::fromStdString(step.at)), experiment.string().c_str());
            QVERIFY(studio.window.files().open(QString::fromStdString(experiment.string())));
            QVERIFY2(studio.window.lesson().steps().size() == lesson->steps.size(), experiment.string().c_str());
        }
    }

    /// A step about a panel brings it into view from wherever it was.
    void everyPanelIsShownByAStepAboutIt()
    {
        Studio studio;
        for (const PanelSet::Panel& panel : studio.window.panels().all()) {
            panel.dock->hide();
            studio.window.lesson().setLesson({.steps = {{"Look here.", panel.spec.id, {}, {}}}},
                                             [](const QString& sentence) { return sentence; });
            QCOMPARE(studio.window.lesson().steps().size(), std::size_t(1));
            studio.window.lesson().steps().front()->click();
            QVERIFY2(panel.dock->isVisible(), panel.spec.id);
        }
    }
};

static const AreaOf<PanelsTest> panelsTestArea("panels");

} // namespace unroll::test

#include "panels_test.moc"
