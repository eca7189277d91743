// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/compare/compare_menu.h"
#include "app/studio/compare/compare_page.h"
#include "app/studio/compare/second_run.h"

#include <QPointer>
#include <memory>

namespace unroll {

/// Gives a view of a lens "Compare with …": asks the second side what the view asks, and shows both in place of the
/// view's picture. Belongs to the view. Both sides are joined away from the window's thread.
class Comparing : public QObject {
    Q_OBJECT
public:
    Comparing(LensView& view, const CompareDesk& desk);
    ~Comparing() override;

    /// That of a view; null: it has none.
    static Comparing* of(const LensView& view)
    {
        return view.findChild<Comparing*>(QString(), Qt::FindDirectChildrenOnly);
    }

    const SecondSide& side() const { return m_side; }
    void choose(const SecondSide& side);
    ComparePage* page() const { return m_page; } ///< null: nothing is compared
    CompareMenu& menu() const { return *m_menu; }
    QToolButton& button() const { return *m_button; }

private:
    /// Both answers, and how they are to be joined.
    struct Asked {
        std::shared_ptr<const LensFrame> first, second;
        CompareWish wish;
        bool operator==(const Asked&) const = default;
    };
    void end();
    void makePage();
    void leavePage();
    void offerOwnFiles(bool offered);
    void giveEdit(const QString& words);
    void follow();
    void refresh();
    void join(const Asked& asked);
    void show(const Asked& asked, const std::shared_ptr<const Result<Figure>>& made);
    void share();
    std::optional<LensQuery> secondQuery() const;
    std::shared_ptr<const LensFrame> secondFrame() const;
    QString waitingFor() const;
    std::pair<std::string, std::string> namesOf(const Asked& asked) const;

    LensView& m_view;
    const CompareDesk m_desk;
    QPointer<RunController> m_run;
    CompareMenu* m_menu;
    QToolButton* m_button;
    QPointer<ComparePage> m_page;
    CompareWish m_wish; ///< stays from one comparison to the next
    SecondSide m_side;
    SecondRun* m_second = nullptr;
    QObject m_first; ///< in whose name the run is asked for the first side
    Asked m_shown;   ///< that the page shows
    bool m_joining = false;
    std::unique_ptr<DiskThread> m_work; ///< once something was compared; last: it goes first
};

} // namespace unroll
