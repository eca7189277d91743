// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_view.h"
#include "app/studio/lenses/figure_save_button.h"
#include "app/studio/lenses/signal_lens_view.h"

namespace unroll {

/// The view of a lens that has none of its own: its figure, joined to the cursor of the window, and what is saved of
/// it.
class FigureLensView : public SignalLensView {
    Q_OBJECT
public:
    FigureLensView(const std::string& lens, const LensDesk& desk, QWidget* parent = nullptr);

    FigureView& view() const { return *m_view; }
    FigureSaveButton& saving() const { return *m_save; }

protected:
    void draw(const std::shared_ptr<const LensFrame>& frame) override;
    void timeShown() override;

private:
    FigureLensView(const std::string& lens, const LensDesk& desk, FigureView* view, QWidget* parent);
    void join();
    void share();
    void choose(std::string node, std::string signal, const std::vector<std::int64_t>& units);

    FigureView* m_view; ///< the base owns it
    FigureSaveButton* m_save;
    ShownFigure m_shown; ///< the newest
};

} // namespace unroll
