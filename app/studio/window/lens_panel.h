// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/compare/compare_menu.h"
#include "app/studio/lenses/in_sight.h"

#include <QJsonObject>

namespace unroll {

class SignalLensView;
struct LessonStep;

/// A panel with the view of a lens, which is made when the panel is first seen: a window opens with as many as there
/// are lenses.
class LensPanel : public QWidget {
    Q_OBJECT
public:
    /// `entry` is one of lensViews().
    LensPanel(const LensViewEntry& entry, const CompareDesk& desk, QWidget* parent = nullptr);
    ~LensPanel() override;

    const std::string& lens() const { return m_entry.id; }
    bool isMade() const { return m_view != nullptr; }
    LensView& view(); ///< makes it
    /// What a step of a lesson asks for: a node, a signal.
    void showStep(const LessonStep& step);
    bool holdsStep(const LessonStep& step) const;
    /// As LensView's; taken by the view when it is made.
    QJsonObject choices() const;
    void takeChoices(const QJsonObject& choices);

    QSize sizeHint() const override { return isMade() ? QWidget::sizeHint() : QSize(360, 240); }
    QSize minimumSizeHint() const override { return isMade() ? QWidget::minimumSizeHint() : QSize(160, 100); }

Q_SIGNALS:
    void noted(const QString& words);
    void failed(const QString& sentence);

private:
    SignalLensView* signalView() const; ///< null: it is none

    const LensViewEntry& m_entry;
    CompareDesk m_desk;
    InSight* m_sight;
    LensView* m_view = nullptr;
    QJsonObject m_choices; ///< until there is a view
};

} // namespace unroll
