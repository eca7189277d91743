// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/frame_keeping.h"

#include "core/base/sha256.h"
#include "core/runs/frames_place.h"
#include "core/session/stopwatch.h"

#include <exception>
#include <string_view>
#include <utility>

namespace unroll {

namespace {

template <class Value>
void addTo(Sha256& sum, const std::vector<Value>& values)
{
    sum.add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
}

} // namespace

FrameKeeping::FrameKeeping(RunReport& report, double budget) : m_report(report), m_budget(budget) {}

/// The run's folder may be another by now, or have another name; false: nothing is written.
bool FrameKeeping::follow()
{
    const RunFolder* folder = m_report.folder();
    if (folder == nullptr)
        return false;
    const auto frames = framesFolder(folder->path());
    if (!m_store)
        m_store.emplace(frames);
    else if (m_folder != frames.string())
        m_store->moved(frames);
    m_folder = frames.string();
    return true;
}

void FrameKeeping::begin(std::int64_t step)
{
    if (!follow())
        return;
    m_store->cutAfter(step);
    m_report.view().framesKept = m_store->count();
}

void FrameKeeping::setReading(const ProbeText& text)
{
    Sha256 sum;
    addTo(sum, text.tokens);
    addTo(sum, text.features);
    m_reading = sum.hex().substr(0, 16);
    m_of = text.of;
}

void FrameKeeping::keep(const std::vector<std::shared_ptr<const LensFrame>>& frames, When when)
{
    const double began = m_report.secondsHere();
    if ((when == When::IfDue && !m_clock.isDue(began, m_budget * kShare)) || !follow())
        return;
    Stopwatch watch;
    watch.start();
    bool any = false;
    for (const auto& frame : frames)
        if (frame && frame->data)
            any = keepOne(*frame, when) || any;
    if (any && when == When::IfDue)
        m_clock.took(began, watch.seconds());
    m_report.view().framesKept = m_store->count();
    m_report.view().framesStamp = m_store->stamp();
}

/// Whether it was written, or tried to be.
bool FrameKeeping::keepOne(const LensFrame& frame, When when)
{
    const Lens* lens = findLens(frame.query.lens);
    if (lens == nullptr || !frame.query.edit.empty()) // what is tried by hand is not how the run went
        return false;
    try {
        const LensQuery series = keptQuery(frame.query, lens->spec());
        if (when == When::IfDue && !m_store->wants(series, frame.step))
            return false;
        const auto kept = m_store->keep(series, {frame.query, frame.step, m_reading, m_of, frame.data->figure()});
        if (!kept)
            tell(kept.error());
        else
            m_report.view().framesNotKept.clear();
    } catch (const std::exception& error) { // no memory is left for a copy
        tell({error.what(), {}});
    }
    return true;
}

/// A full disk refuses every frame: it is said once. The file of the frame does not matter.
void FrameKeeping::tell(const Error& error)
{
    m_report.view().framesNotKept = error.message;
    m_report.tellOnce({"frames of lenses are not kept: " + error.message, m_folder});
}

} // namespace unroll
