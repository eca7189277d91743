// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QStackedWidget;

namespace unroll {

class BlockRegistry;
class Appearance;
class GraphScene;
class GraphView;
class LessonStrip;
class MessageBar;
class StartPage;

/// The middle of a window: the canvas or the start page, below what is to be said.
class WindowCentre : public QWidget {
    Q_OBJECT
public:
    WindowCentre(GraphScene& scene, const BlockRegistry& registry, const Appearance& appearance);

    MessageBar& questions() const
    {
        return *m_questions;
    } ///< about the file; what the messages say does not push them away
    MessageBar& messages() const { return *m_messages; }
    LessonStrip& lesson() const { return *m_lesson; }
    GraphView& canvas() const { return *m_canvas; }
    StartPage& startPage() const { return *m_startPage; }

    void setStartShown(bool shown); ///< in the place of the canvas
    bool isStartShown() const;

private:
    MessageBar* m_questions;
    MessageBar* m_messages;
    LessonStrip* m_lesson;
    QStackedWidget* m_pages;
    GraphView* m_canvas;
    StartPage* m_startPage;
};

} // namespace unroll
