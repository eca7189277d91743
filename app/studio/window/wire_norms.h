// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/wire_words.h"

#include <QAction>
#include <QElapsedTimer>
#include <QObject>
#include <memory>

namespace unroll {

class GraphScene;
class ReadingCursor;
class RunController;
struct LensFrame;
struct OutputNorms;
struct WiresData;

/// While its switch is on: the norm of what crosses each wire at the cursor, written on the canvas; without a cursor
/// that at the last step. Off, the run is asked nothing. Belongs to the window.
class WireNorms : public QObject {
    Q_OBJECT
public:
    static constexpr int freshFor = 3000; ///< milliseconds that an answer is of now while it trains

    /// All must outlive it.
    WireNorms(QAction& onOff, RunController& controller, ReadingCursor& cursor, GraphScene& scene, QObject* parent);

private:
    void turn();
    void take();
    void write();
    void fade();
    bool isOld() const;
    WireWords wordsFor(const PortRef& output) const;
    const OutputNorms* normsAt(const OutputPlace& place) const;

    QAction& m_onOff;
    RunController& m_controller;
    ReadingCursor& m_cursor;
    GraphScene& m_scene;
    std::shared_ptr<const LensFrame> m_taken;
    std::shared_ptr<const WiresData> m_data;           ///< null: there is no answer
    std::map<OutputPlace, const OutputNorms*> m_norms; ///< of m_data
    QElapsedTimer m_age;                               ///< of the answer
    bool m_pale = false;                               ///< as it is written
};

} // namespace unroll
