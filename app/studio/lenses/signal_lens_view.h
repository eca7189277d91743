// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/figure_save_button.h"
#include "app/studio/lenses/in_sight.h"
#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/signal_picker.h"
#include "app/studio/theme/empty_state.h"

#include <QStackedWidget>
#include <QTimer>

namespace unroll {

class KeptPage;
class ParamEditor;

/// A setting that all views of a window share: it is filled from their cursor, and has no editor.
bool isSharedSetting(const std::string& name);

/// A view of a lens with all but the drawing: of a lens that takes a signal its node and signal are chosen above,
/// beside what the lens's spec says can be set, and while there is nothing to draw it says why. Settings that are
/// shared follow the cursor, at most ten times a second. The run is asked only while the view is seen, so that a hidden
/// one, or one behind another tab, costs nothing.
class SignalLensView : public LensView {
    Q_OBJECT
public:
    static constexpr int kBetweenQueries = 100; ///< milliseconds, while the cursor moves

    /// `picture` draws; the view owns it. `icon` stands in its place while there is nothing to draw.
    SignalLensView(const std::string& lens, const LensDesk& desk, QWidget* picture, const QString& icon,
                   QWidget* parent = nullptr);
    ~SignalLensView() override;

    bool isEmpty() const { return shownPage() == 0; }
    EmptyState& emptyState() const { return *m_empty; }
    SignalPicker& picker() const { return *m_picker; } ///< of a lens that takes a signal
    /// As an editor of the setting does; no other than LensSpec::settings.
    void set(const std::string& setting, const ParamValue& value);
    QJsonObject choices() const override;
    void takeChoices(const QJsonObject& choices) override;
    /// Whether the selected units are some of what is shown here.
    bool isSelectionHere() const;
    void addToBar(QWidget* part) override;

protected:
    /// Shows the frame, which has data.
    virtual void draw(const std::shared_ptr<const LensFrame>& frame) = 0;
    const LensDesk& desk() const { return m_desk; }
    std::string node() const; ///< that is chosen; empty: none, or the lens takes no signal
    std::string signal() const;
    /// What was kept, while that is shown; without a figure: the newest is shown.
    ShownFigure keptFigure() const;
    /// Another time is shown: what was kept, or the newest again.
    virtual void timeShown() {}

private:
    QWidget* bar();
    QWidget* editor(const ParamSpec& setting);
    void listen();
    void begin();
    void choose();
    void follow();
    std::optional<LensQuery> wanted() const;
    void take();
    void forget();
    void showEmpty();
    void showTime();
    bool showsKept() const;
    QString reasonForNothing() const;

    const LensDesk m_desk;
    SignalPicker* m_picker = nullptr;
    QWidget* m_bar = nullptr;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    KeptPage* m_kept = nullptr; ///< null: there is no going back here
    InSight* m_sight;
    Params m_settings; ///< that have an editor
    std::map<std::string, ParamEditor*> m_editors;
    std::optional<LensQuery> m_wanted;        ///< nothing: there is no signal
    std::shared_ptr<const LensFrame> m_taken; ///< the newest that came
    QTimer m_between;                         ///< runs: the cursor was followed just now
    bool m_moved = false;                     ///< and has moved since
};

} // namespace unroll
