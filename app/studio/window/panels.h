// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/dock.h"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

class QMainWindow;

namespace unroll {

class Document;
class GraphScene;
class Problems;
class ReadingCursor;
class RunController;
class TrainingTime;
struct LessonStep;
struct StudioContext;

/// What the panels of a window are made from.
struct PanelContext {
    StudioContext& studio;
    Document& document;
    Problems& problems;
    RunController& run;
    GraphScene& scene;
    ReadingCursor& cursor;
    TrainingTime& time;
};

/// A part of the window's width or height, within bounds. All zero: as it comes.
struct PanelSize {
    double share = 0;
    int least = 0;
    int most = std::numeric_limits<int>::max();
    const char* besides = ""; ///< a panel of the same layout: the share is of what its size leaves of the window

    bool isSet() const { return share > 0 || least > 0; }
};

/// Place of a panel in a layout, for hidden ones too: there they are shown on request. One of `edge`, `below`,
/// `rightOf` and `behind` says it; the three name other panels.
struct PanelPlace {
    int order =
        0; ///< panels are placed one after the other: what a place names comes before it, and tabs after all splits
    Qt::DockWidgetArea edge = Qt::NoDockWidgetArea;
    const char* below = "";
    const char* rightOf = "";
    const char* behind = ""; ///< a tab with this one, and after those that came before
    PanelSize width{};
    PanelSize height{};
    bool shown = true;
    bool raised = false; ///< in front of the tabs beside it
};

/// All that the window knows of a panel. Docks, the View menu, layouts, lessons and the states that tests walk through
/// read it.
struct PanelSpec {
    const char* id;
    QString title;
    std::function<QWidget*(const PanelContext&)> make;
    std::map<QString, PanelPlace> places; ///< by the layout's name; one for each
    /// Steps of lessons name a panel by its id. What a step asks for beyond bringing it into view; may be empty.
    std::function<void(QWidget& panel, const LessonStep& step)> showStep{};
    /// There is what the step speaks of; empty: always.
    std::function<bool(const QWidget& panel, const LessonStep& step)> holdsStep{};
};

/// Every panel, in the order of the View menu. A new panel is one more entry.
std::vector<PanelSpec> panelTable();

/// The view of a lens, the first or a further one, in a tab with State: the layout Inspect shows those of a few lenses,
/// all others are opened from the View menu. Ids are those that lensPanelId() gives: "lens.tracks", "lens.tracks.2".
PanelSpec lensPanel(const std::string& lens, int number = 1);
QString lensPanelId(const std::string& lens, int number);
bool isLensPanel(const QString& id);
bool isFurtherView(const QString& id); ///< of a lens that has another one: "lens.tracks.2"

/// A panel that every layout keeps hidden in a tab with State: for views that are asked for.
PanelSpec panelBehindState(const char* id, const QString& title, std::function<QWidget*(const PanelContext&)> make);

/// The panels of a window in their docks, in the order of the table.
class PanelSet {
public:
    struct Panel {
        PanelSpec spec;
        QWidget* widget;
        Dock* dock;
    };

    /// Makes them; the window owns them.
    void make(std::vector<PanelSpec> table, const PanelContext& context, QMainWindow& window);
    /// One more, which stands nowhere yet.
    const Panel& add(PanelSpec spec, const PanelContext& context, QMainWindow& window);

    const std::vector<Panel>& all() const { return m_panels; }
    QList<Dock*> docks() const;
    bool has(const QString& id) const;
    const Panel& at(const QString& id) const; ///< which must be one of the table's
    Dock& dock(const QString& id) const { return *at(id).dock; }
    /// The one of this class.
    template <class Widget>
    Widget& get() const
    {
        for (const Panel& panel : m_panels)
            if (auto* found = qobject_cast<Widget*>(panel.widget))
                return *found;
        qFatal("no panel is a %s", Widget::staticMetaObject.className());
    }

private:
    std::vector<Panel> m_panels;
};

} // namespace unroll
