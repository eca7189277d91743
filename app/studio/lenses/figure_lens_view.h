// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"
#include "app/studio/figure/figure_picture.h"
#include "app/studio/figure/figure_view.h"
#include "app/studio/lenses/signal_lens_view.h"

class QToolButton;

namespace unroll {

/// The view of a lens that has none of its own: its figure, joined to the cursor of the window, and what is saved of
/// it.
class FigureLensView : public SignalLensView {
    Q_OBJECT
public:
    FigureLensView(const std::string& lens, const LensDesk& desk, QWidget* parent = nullptr);

    FigureView& view() const { return *m_view; }
    /// Writes what is shown; told() or failed() says how it went. Only while there is something, and none is being
    /// written.
    void save(FigureFormat format, const QString& path);

protected:
    void draw(const std::shared_ptr<const LensFrame>& frame) override;

private:
    FigureLensView(const std::string& lens, const LensDesk& desk, FigureView* view, QWidget* parent);
    void join();
    void share();
    void choose(std::string node, std::string signal, const std::vector<std::int64_t>& units);
    QToolButton* saveButton();
    void askForFile(FigureFormat format);

    FigureView* m_view; ///< the base owns it
    QToolButton* m_save = nullptr;
    FileSaving m_saving;
    QString m_folder; ///< where a file was saved last
};

} // namespace unroll
