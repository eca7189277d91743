// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/start/recent_look.h"
#include "core/block/registry.h"

#include <QScrollArea>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace unroll {

class Appearance;
class CardGrid;
class GalleryCard;
class StartButton;
class StartRow;

/// Where a window without an experiment begins: the ways to one. Beside each other where there is room, else one below
/// the other. It only asks; the window does. Its parts are made when it is first seen, the cards of the gallery after
/// that first picture.
class StartPage : public QScrollArea {
    Q_OBJECT
public:
    StartPage(const BlockRegistry& registry, const Appearance& appearance, QWidget* parent = nullptr);

    /// What there is to go back to; empty: nothing.
    void setBack(const QString& title);
    void setRecent(const QStringList& paths);

    bool isFilled() const { return m_filled; } ///< the cards are there
    const std::vector<GalleryCard*>& cards() const { return m_cards; }
    const std::vector<StartRow*>& recent() const { return m_recent; }
    StartRow& openFile() const { return *m_openFile; }
    QPushButton& back() const { return *m_back; }

Q_SIGNALS:
    void experimentAsked(const QString& path);
    void openAsked();
    void dataAsked();
    void pasteAsked();
    void emptyAsked();
    void left(); ///< back to what was there before

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void build();
    QWidget* heading();
    QWidget* sidePart();
    QWidget* galleryPart();
    QLabel* caption(const QString& words) const;
    StartRow* addWay(QLayout& rows, const char* icon, const QString& title, const QString& detail,
                     void (StartPage::*asked)());
    void fill();
    void showFound(const std::vector<RecentFile>& files);
    void refreshPaste();
    void arrange();
    void orderTabs();
    void moveFocus(const QPoint& direction);

    const BlockRegistry& m_registry;
    const Appearance& m_appearance;
    RecentLook m_look;
    QBoxLayout* m_columns;
    QWidget* m_side;
    QPushButton* m_back = nullptr;
    StartRow* m_emptyCanvas = nullptr;
    StartRow* m_ownData = nullptr;
    StartRow* m_pastedText = nullptr;
    StartRow* m_openFile = nullptr;
    QLabel* m_recentCaption = nullptr;
    CardGrid* m_recentRows = nullptr;
    QLabel* m_galleryLabel = nullptr; ///< where the gallery is empty
    CardGrid* m_grid = nullptr;
    std::vector<GalleryCard*> m_cards;
    std::vector<StartRow*> m_recent;
    bool m_filled = false;
    bool m_painted = false;
};

} // namespace unroll
