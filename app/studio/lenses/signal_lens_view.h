// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/signal_picker.h"
#include "app/studio/theme/empty_state.h"

#include <QStackedWidget>

namespace unroll {

class ParamEditor;

/// A view of a lens that takes a signal, with all but the drawing: a node and its signal are chosen above, beside what the lens's spec says can
/// be set, and while there is nothing to draw it says why. The run is asked only while the view is visible, so that a hidden one costs nothing.
class SignalLensView : public LensView {
    Q_OBJECT
public:
    /// `picture` draws; the view owns it. `icon` stands in its place while there is nothing to draw.
    SignalLensView(const std::string& lens, const LensDesk& desk, QWidget* picture, const QString& icon,
                   QWidget* parent = nullptr);

    bool isEmpty() const { return m_pages->currentIndex() == 0; }
    EmptyState& emptyState() const { return *m_empty; }
    SignalPicker& picker() const { return *m_picker; }
    /// As an editor of the setting does; no other than LensSpec::settings.
    void set(const std::string& setting, const ParamValue& value);

protected:
    /// Shows the frame, which has data.
    virtual void draw(const std::shared_ptr<const LensFrame>& frame) = 0;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* bar(const Appearance& appearance);
    void listen();
    void begin();
    void choose();
    void take();
    void forget();
    void showEmpty();

    Document& m_document;
    RunController& m_controller;
    SignalPicker* m_picker;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    Params m_settings; ///< all that there are
    std::map<std::string, ParamEditor*> m_editors;
    std::optional<LensQuery> m_wanted;        ///< nothing: there is no signal
    std::shared_ptr<const LensFrame> m_taken; ///< the newest that came
};

} // namespace unroll
