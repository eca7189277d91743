// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/preferences/preferences_dialog.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QPushButton>

namespace unroll::test {

namespace {

/// The inspector on one node of the default experiment.
StudioState nodeState(const char* name, const char* node)
{
    return {name, [node](Studio& studio) {
                studio.window.arrange("edit");
                studio.window.scene().select({studio.id(node)});
                // The data are read beside.
                (void)comes([&] { return studio.window.document().data(studio.id("text")) != nullptr; });
            }};
}

void raise(Dock& dock)
{
    dock.show();
    dock.raise();
    settle(*dock.window());
}

void narrow(Studio& studio)
{
    studio.window.resize(900, 640);
    settle(studio.window);
}

/// A side as narrow as it goes.
void thinDocks(Studio& studio)
{
    studio.window.arrange("edit");
    studio.window.scene().select({studio.id("lstm")});
    studio.window.resizeDocks({&studio.window.panels().dock("inspector"), &studio.window.panels().dock("palette")},
                              {1, 1}, Qt::Horizontal);
}

void floating(Studio& studio)
{
    studio.window.panels().dock("curves").setFloating(true);
    settle(studio.window);
}

void wrongSetting(Studio& studio)
{
    raise(studio.window.panels().dock("training"));
    auto* field = studio.window.panel<TrainingPanel>().findChild<QAbstractSpinBox*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "-5");
}

void probeTrouble(Studio& studio)
{
    studio.window.document().setProbeText("Жаба and 500 €");
}

void questionAndNote(Studio& studio)
{
    studio.window.questions().ask("Unsaved changes from yesterday at 18:04 were found beside this file.",
                                  {{"Restore", [] {}}, {"Compare", [] {}}, {"Discard", [] {}}});
    studio.window.messages().showNote("Saved fable.unroll.");
}

void longMessage(Studio& studio)
{
    studio.window.messages().offer(
        MessageBar::Tone::Error,
        "The file /home/somebody/experiments/2026/november/a-rather-long-folder-name/memory-task-with-noise.unroll "
        "cannot be "
        "written: the disk is full. Free some room and save again, or save somewhere else; nothing is lost meanwhile.",
        {{"Save Somewhere Else …", [] {}}, {"Try Again", [] {}}});
}

std::vector<StudioState> otherStates()
{
    return {
        {"narrow", narrow},
        {"thin-docks", thinDocks},
        {"floating", floating},
        nodeState("data", "text"),
        nodeState("node", "lstm"),
        nodeState("node-head", "head"),
        {"training-wrong", wrongSetting},
        {"training-sgd",
         [](Studio& studio) {
             raise(studio.window.panels().dock("training"));
             (void)studio.window.document().setTraining("optimizer", std::string("sgd"));
         }},
        {"probe-trouble", probeTrouble},
        {"question-and-note", questionAndNote},
        {"message-long", longMessage},
        {"preferences", [](Studio& studio) { studio.window.actions().preferences->trigger(); }},
        {"preferences-keys",
         [](Studio& studio) {
             studio.window.actions().preferences->trigger();
             studio.window.findChild<PreferencesDialog*>()->showKeys();
         }},
        {"keys", [](Studio& studio) { studio.window.actions().keys->trigger(); }},
        {"help",
         [](Studio& studio) {
             studio.window.scene().select({studio.id("lstm")});
             studio.window.canvas().setFocus();
             studio.window.actions().help->trigger();
         }},
    };
}

} // namespace

std::vector<StudioState> panelStates()
{
    std::vector<StudioState> states;
    for (const QString& layout : layoutNames())
        states.push_back({layout.toLatin1(), [layout](Studio& studio) { studio.window.arrange(layout); }});
    for (const PanelSpec& panel : panelTable())
        states.push_back({QByteArray("panel-") + panel.id,
                          [id = panel.id](Studio& studio) { raise(studio.window.panels().dock(id)); }});
    const std::vector<StudioState> others = otherStates();
    states.insert(states.end(), others.begin(), others.end());
    return states;
}

} // namespace unroll::test
