// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_panel.h"
#include "tests/gui/made_study.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

namespace {

std::function<void(Studio&)> shownStudy(const std::vector<MadeTrial>& trials, const char* layout = "train",
                                        std::function<void(StudyPanel&)> then = {})
{
    return [trials, layout, then](Studio& studio) {
        const QString file = makeStudy(studio.folder.filePath("studies"), trials);
        studio.window.arrange(layout);
        auto& panel = studio.window.panel<StudyPanel>();
        panel.open(file);
        (void)comes([&] { return panel.results() != nullptr; });
        if (then)
            then(panel);
        settle(studio.window);
    };
}

void showStudyView(StudyPanel& panel, const QString& words)
{
    for (auto* button : panel.bar().findChildren<QToolButton*>())
        if (button->text() == words)
            button->click();
}

void studyNotStarted(Studio& studio)
{
    const QString folder = studio.folder.filePath("studies");
    const QString file = makeStudy(folder, {});
    QFile::remove(folder + "/width.study.json");
    auto& panel = studio.window.panel<StudyPanel>();
    panel.open(file);
    (void)comes([&] { return panel.shownText().contains("no results"); });
    settle(studio.window);
}

void chosenAndBrushed(StudyPanel& panel)
{
    Q_EMIT panel.parallel().brushed(1, StudyBrush{0.4, 0.9});
    Q_EMIT panel.parallel().chosen(2);
    panel.parallel().setFocus();
}

} // namespace

std::vector<StudioState> studyStates()
{
    return {{"study-parallel", shownStudy(madeTrials())},
            {"study-brushed", shownStudy(madeTrials(), "inspect", chosenAndBrushed)},
            {"study-slices", shownStudy(madeTrials(), "inspect",
                                        [](StudyPanel& panel) {
                                            showStudyView(panel, "Slices");
                                            Q_EMIT panel.slices().chosen(2);
                                        })},
            {"study-importance",
             shownStudy(madeTrials(), "watch", [](StudyPanel& panel) { showStudyView(panel, "Importance"); })},
            {"study-first", shownStudy({madeTrials().back()}, "inspect")},
            {"study-not-started", studyNotStarted}};
}

} // namespace unroll::test
