// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/panels.h"

#include "app/studio/compare/comparing.h"
#include "app/studio/curves/curves_panel.h"
#include "app/studio/frames/training_time.h"
#include "app/studio/inspector/inspector_panel.h"
#include "app/studio/inspector/training_panel.h"
#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/palette/palette_panel.h"
#include "app/studio/race/race_panel.h"
#include "app/studio/run/runs_place.h"
#include "app/studio/runs/runs_panel.h"
#include "app/studio/studio_context.h"
#include "app/studio/study/study_panel.h"
#include "app/studio/theme/translated.h"
#include "app/studio/window/lens_panel.h"
#include "app/studio/window/problems_panel.h"
#include "app/studio/window/samples_panel.h"
#include "core/experiment/lesson.h"

#include <QMainWindow>
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

namespace unroll {

namespace {

template <class Panel>
bool isFilled(const QWidget& panel, const LessonStep&)
{
    return !static_cast<const Panel&>(panel).isEmpty();
}

void showState(QWidget& panel, const LessonStep& step)
{
    auto& state = static_cast<StatePanel&>(panel);
    if (!step.node.empty())
        state.showNode(step.node);
    if (!step.signal.empty())
        state.showSignal(step.signal);
}

bool isStateOf(const QWidget& panel, const LessonStep& step)
{
    const auto& state = static_cast<const StatePanel&>(panel);
    return !state.isEmpty() && state.isVisible() && (step.node.empty() || step.node == state.place());
}

/// What views of lenses are made from, and what they are compared with.
CompareDesk compareDesk(const PanelContext& of)
{
    StudioContext& studio = of.studio;
    const Document& document = of.document;
    return {{of.document, of.run, studio.appearance, of.cursor, &of.time}, studio.startRun, [&studio, &document] {
                return runsPlace(document.path(), studio.preferences->choices().runsPlace);
            }};
}

PanelSpec inspector()
{
    return {
        "inspector",
        tr("Inspector"),
        [](const PanelContext& of) {
            return new InspectorPanel(of.document, of.problems, of.scene, of.studio.appearance);
        },
        {{"train",
          {.order = 0, .edge = Qt::RightDockWidgetArea, .width = {0.23, 300, 420}, .height = {0.6}, .raised = true}},
         {"edit", {.order = 0, .edge = Qt::RightDockWidgetArea, .width = {0.25, 300, 440}, .raised = true}},
         {"watch", {.order = 3, .behind = "samples", .shown = false}},
         {"inspect", {.order = 3, .behind = "samples", .shown = false}}}};
}

PanelSpec training()
{
    return {"training",
            tr("Training"),
            [](const PanelContext& of) { return new TrainingPanel(of.document, of.run, of.studio.appearance); },
            {{"train", {.order = 2, .behind = "inspector"}},
             {"edit", {.order = 1, .behind = "inspector"}},
             {"watch", {.order = 4, .behind = "samples", .shown = false}},
             {"inspect", {.order = 4, .behind = "samples", .shown = false}}}};
}

PanelSpec curves()
{
    return {"curves",
            tr("Curves"),
            [](const PanelContext& of) { return new CurvesPanel(of.run, of.studio.appearance); },
            {{"train",
              {.order = 4,
               .edge = Qt::BottomDockWidgetArea,
               .width = {.share = 0.4, .besides = "inspector"},
               .height = {0.46}}},
             {"edit", {.order = 4, .behind = "problems", .shown = false}},
             {"watch", {.order = 0, .edge = Qt::RightDockWidgetArea, .width = {0.32}, .height = {0.45}}},
             {"inspect", {.order = 0, .edge = Qt::RightDockWidgetArea, .width = {0.24, 280, 400}, .height = {0.4}}}},
            {},
            isFilled<CurvesPanel>};
}

PanelSpec state()
{
    return {
        "state",
        tr("State"),
        [](const PanelContext& of) {
            auto* panel = new StatePanel(compareDesk(of).lens);
            new Comparing(*panel, compareDesk(of));
            const auto takeMemory = [panel, &preferences = *of.studio.preferences] {
                panel->setMemory(static_cast<std::size_t>(preferences.choices().lookMegabytes) << 20);
            };
            QObject::connect(of.studio.preferences.get(), &Preferences::changed, panel, takeMemory);
            takeMemory();
            return panel;
        },
        {{"train", {.order = 5, .rightOf = "curves", .width = {.share = 0.6, .besides = "inspector"}, .raised = true}},
         {"edit", {.order = 5, .behind = "problems", .shown = false}},
         {"watch", {.order = 6, .edge = Qt::BottomDockWidgetArea, .height = {0.58}}},
         {"inspect", {.order = 6, .edge = Qt::BottomDockWidgetArea, .height = {0.68}, .raised = true}}},
        showState,
        isStateOf};
}

PanelSpec samples()
{
    return {"samples",
            tr("Samples"),
            [](const PanelContext& of) { return new SamplesPanel(of.document, of.run, of.studio.appearance); },
            {{"train", {.order = 1, .below = "inspector", .height = {0.34}, .raised = true}},
             {"edit", {.order = 6, .behind = "inspector", .shown = false}},
             {"watch", {.order = 1, .below = "curves", .height = {0.45}, .raised = true}},
             {"inspect", {.order = 1, .below = "curves", .height = {0.5}, .raised = true}}},
            {},
            isFilled<SamplesPanel>};
}

PanelSpec runs()
{
    return {"runs",
            tr("Runs"),
            [](const PanelContext& of) {
                StudioContext& studio = of.studio;
                return new RunsPanel(of.run, studio.registry, studio.appearance, ColumnSettings(studio.settings),
                                     studio.trash);
            },
            {{"train", {.order = 6, .behind = "state"}}, // beside the curves, where ticked runs are drawn
             {"edit", {.order = 3, .behind = "problems", .shown = false}},
             {"watch", {.order = 2, .behind = "samples"}},
             {"inspect", {.order = 2, .behind = "samples"}}}};
}

PanelSpec problems()
{
    return {"problems",
            tr("Problems"),
            [](const PanelContext& of) { return new ProblemsPanel(of.document, of.problems, of.studio.appearance); },
            {{"train", {.order = 3, .behind = "samples"}},
             {"edit", {.order = 2, .edge = Qt::BottomDockWidgetArea, .height = {0, 150, 150}}},
             {"watch", {.order = 5, .behind = "samples", .shown = false}},
             {"inspect", {.order = 5, .behind = "samples", .shown = false}}}};
}

PanelSpec palette()
{
    return {"palette",
            tr("Blocks"),
            [](const PanelContext& of) { return new PalettePanel(of.studio.registry, of.studio.appearance); },
            {{"train", {.order = 7, .edge = Qt::LeftDockWidgetArea, .shown = false}},
             {"edit", {.order = 7, .edge = Qt::LeftDockWidgetArea, .width = {0.16, 200, 280}}},
             {"watch", {.order = 7, .edge = Qt::LeftDockWidgetArea, .shown = false}},
             {"inspect", {.order = 7, .edge = Qt::LeftDockWidgetArea, .shown = false}}}};
}

PanelSpec race()
{
    return panelBehindState("race", tr("Race"), [](const PanelContext& of) {
        return new RacePanel(of.studio.appearance, of.studio.commandLine);
    });
}

PanelSpec study()
{
    return panelBehindState("study", tr("Study"), [](const PanelContext& of) {
        return new StudyPanel(of.studio.appearance, of.studio.commandLine);
    });
}

/// As long as the program runs: a spec names its panel by what others keep.
const char* kept(const QString& id)
{
    static std::set<std::string> all;
    return all.insert(id.toStdString()).first->c_str();
}

const LensViewEntry& viewOf(const std::string& lens)
{
    const auto& views = lensViews();
    return *std::find_if(views.begin(), views.end(), [&](const LensViewEntry& entry) { return entry.id == lens; });
}

/// In the layout Inspect from the beginning, in the order of their tabs: as many as have room for them.
constexpr std::array kUsualLenses{"tracks", "memory", "touch", "spectrum", "answers"};

/// The views of lenses, but for those that the table has with places of their own.
std::vector<PanelSpec> lensPanels(const std::vector<PanelSpec>& table)
{
    std::vector<PanelSpec> panels;
    for (const LensViewEntry& entry : lensViews()) {
        const auto isEntry = [&](const PanelSpec& panel) { return panel.id == entry.id; };
        if (std::none_of(table.begin(), table.end(), isEntry))
            panels.push_back(lensPanel(entry.id));
    }
    return panels;
}

} // namespace

std::vector<PanelSpec> panelTable()
{
    std::vector<PanelSpec> table{inspector(), training(), curves(),  state(), samples(),
                                 runs(),      problems(), palette(), race(),  study()};
    std::vector<PanelSpec> lenses = lensPanels(table);
    std::move(lenses.begin(), lenses.end(), std::back_inserter(table));
    return table;
}

QString lensPanelId(const std::string& lens, int number)
{
    const QString id = "lens." + QString::fromStdString(lens);
    return number == 1 ? id : id + '.' + QString::number(number);
}

bool isLensPanel(const QString& id)
{
    return id.startsWith("lens.");
}

bool isFurtherView(const QString& id)
{
    return isLensPanel(id) && id.count('.') > 1;
}

PanelSpec lensPanel(const std::string& lens, int number)
{
    const LensViewEntry& entry = viewOf(lens);
    const QString title = number == 1 ? entry.title() : tr("%1 %2").arg(entry.title()).arg(number);
    PanelSpec spec = panelBehindState(kept(lensPanelId(lens, number)), title, [&entry](const PanelContext& of) {
        return new LensPanel(entry, compareDesk(of));
    });
    PanelPlace& place = spec.places.at("inspect");
    const auto usual = std::find(kUsualLenses.begin(), kUsualLenses.end(), lens);
    place.shown = number == 1 && usual != kUsualLenses.end();
    place.order -= static_cast<int>(kUsualLenses.end() - usual); // before those that are asked for
    spec.showStep = [](QWidget& panel, const LessonStep& step) { static_cast<LensPanel&>(panel).showStep(step); };
    spec.holdsStep = [](const QWidget& panel, const LessonStep& step) {
        return static_cast<const LensPanel&>(panel).holdsStep(step);
    };
    return spec;
}

PanelSpec panelBehindState(const char* id, const QString& title, std::function<QWidget*(const PanelContext&)> make)
{
    const PanelPlace place{.order = 100, .behind = "state", .shown = false};
    return {id, title, std::move(make), {{"train", place}, {"edit", place}, {"watch", place}, {"inspect", place}}};
}

void PanelSet::make(std::vector<PanelSpec> table, const PanelContext& context, QMainWindow& window)
{
    for (PanelSpec& spec : table)
        add(std::move(spec), context, window);
}

const PanelSet::Panel& PanelSet::add(PanelSpec spec, const PanelContext& context, QMainWindow& window)
{
    QWidget* widget = spec.make(context);
    auto* dock = new Dock(spec.id, spec.title, widget, context.studio.appearance, &window);
    m_panels.push_back({std::move(spec), widget, dock});
    return m_panels.back();
}

bool PanelSet::has(const QString& id) const
{
    return std::any_of(m_panels.begin(), m_panels.end(), [&](const Panel& panel) { return id == panel.spec.id; });
}

QList<Dock*> PanelSet::docks() const
{
    QList<Dock*> docks;
    for (const Panel& panel : m_panels)
        docks << panel.dock;
    return docks;
}

const PanelSet::Panel& PanelSet::at(const QString& id) const
{
    const auto found =
        std::find_if(m_panels.begin(), m_panels.end(), [&](const Panel& panel) { return id == panel.spec.id; });
    if (found == m_panels.end())
        qFatal("no panel is called %s", qPrintable(id));
    return *found;
}

} // namespace unroll
