// SPDX-License-Identifier: GPL-3.0-or-later
// outer_scan by threads that walk alone. Forward, a thread has one column of a head's state: the keys' factors of one
// value. Backward, further threads have its rows: gradients of v need columns, those of q, k and a rows.
#pragma once

#include "core/kernels/outer_scan/outer_scan_params.h"
#include "core/kernels/scan/column_view.h"

namespace unroll::kernels {

/// What the columns and rows of a head share: where its numbers are, step after step.
template <class Scan>
class OuterColumn {
public:
    using Io = typename Scan::IoType;
    using State = typename Scan::StateType;

    UNROLL_HOST_DEVICE OuterColumn(const Scan& s, std::int64_t b, std::int64_t h) : m_scan(s), m_batch(b), m_head(h) {}

protected:
    /// Calls step(t) for real steps and hold(t) for others, from position `begin` of the forward walk to `end`, or back
    /// from there.
    template <class Step, class Hold>
    UNROLL_HOST_DEVICE void forward(std::int64_t begin, std::int64_t end, const Step& step, const Hold& hold) const
    {
        for (std::int64_t position = begin; position < end; ++position) {
            const std::int64_t t = m_scan.at(position).step;
            m_scan.mask.real(t, m_batch) ? step(t) : hold(t);
        }
    }
    /// step(position, t), hold(t)
    template <class Step, class Hold>
    UNROLL_HOST_DEVICE void back(const Step& step, const Hold& hold) const
    {
        for (std::int64_t position = m_scan.steps - 1; position >= 0; --position) {
            const std::int64_t t = m_scan.at(position).step;
            m_scan.mask.real(t, m_batch) ? step(position, t) : hold(t);
        }
    }

    UNROLL_HOST_DEVICE State q(std::int64_t t, std::int64_t i) const { return key(m_scan.q, t, i); }
    UNROLL_HOST_DEVICE State k(std::int64_t t, std::int64_t i) const { return key(m_scan.k, t, i); }
    UNROLL_HOST_DEVICE State v(std::int64_t t, std::int64_t j) const { return value(m_scan.v, t, j); }
    UNROLL_HOST_DEVICE State a(std::int64_t t, std::int64_t i) const
    {
        const std::int64_t at = m_scan.firstDecay(m_head) + (m_scan.decays > 1 ? i : 0);
        if (m_scan.a)
            return static_cast<State>(m_scan.a.row(t, m_batch)[at]);
        return m_scan.constant ? m_scan.constant.row(0, 0)[at] : State(1);
    }
    UNROLL_HOST_DEVICE State key(const Rows<const Io>& rows, std::int64_t t, std::int64_t i) const
    {
        return static_cast<State>(rows.row(t, m_batch)[m_scan.firstKey(m_head) + i]);
    }
    UNROLL_HOST_DEVICE State value(const Rows<const Io>& rows, std::int64_t t, std::int64_t j) const
    {
        return rows ? static_cast<State>(rows.row(t, m_batch)[m_scan.firstValue(m_head) + j]) : State(0);
    }
    template <typename T>
    UNROLL_HOST_DEVICE void writeKey(const Rows<T>& rows, std::int64_t t, std::int64_t i, State number) const
    {
        if (rows)
            rows.row(t, m_batch)[m_scan.firstKey(m_head) + i] = static_cast<T>(number);
    }
    UNROLL_HOST_DEVICE void writeValue(const Rows<Io>& rows, std::int64_t t, std::int64_t j, State number) const
    {
        rows.row(t, m_batch)[m_scan.firstValue(m_head) + j] = static_cast<Io>(number);
    }
    /// The place of a state's number in a row of states.
    UNROLL_HOST_DEVICE std::int64_t place(std::int64_t i, std::int64_t j) const
    {
        return m_scan.firstState(m_head) + i * m_scan.values + j;
    }
    UNROLL_HOST_DEVICE State read(const Rows<const State>& states, std::int64_t i, std::int64_t j) const
    {
        return states ? states.row(0, m_batch)[place(i, j)] : State(0);
    }

    const Scan& m_scan;
    std::int64_t m_batch, m_head;
};

template <typename Io, typename State>
class OuterForwardColumn : OuterColumn<OuterScanForward<Io, State>> {
    using Base = OuterColumn<OuterScanForward<Io, State>>;

public:
    UNROLL_HOST_DEVICE OuterForwardColumn(const OuterScanForward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxOuterColumn];
        for (std::int64_t i = 0; i < scan.keys; ++i)
            state[i] = this->read(scan.initial, i, j);
        this->forward(
            0, scan.steps,
            [&](std::int64_t t) {
                const State added = this->v(t, j);
                State y = State(0);
                for (std::int64_t i = 0; i < scan.keys; ++i) {
                    state[i] = this->a(t, i) * state[i] + this->k(t, i) * added;
                    y += this->q(t, i) * state[i];
                }
                this->writeValue(scan.y, t, j, y);
            },
            [&](std::int64_t t) { this->writeValue(scan.y, t, j, State(0)); });
        for (std::int64_t i = 0; i < scan.keys; ++i)
            scan.last.row(0, this->m_batch)[this->place(i, j)] = state[i];
    }

private:
    std::int64_t j;
};

/// A column of the states' gradient: that of v.
template <typename Io, typename State>
class OuterBackwardColumn : OuterColumn<OuterScanBackward<Io, State>> {
    using Base = OuterColumn<OuterScanBackward<Io, State>>;

public:
    UNROLL_HOST_DEVICE OuterBackwardColumn(const OuterScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State carry[kMaxOuterColumn];
        for (std::int64_t i = 0; i < scan.keys; ++i)
            carry[i] = this->read(scan.gradLast, i, j);
        this->back(
            [&](std::int64_t, std::int64_t t) {
                const State arriving = this->value(scan.gradY, t, j);
                State sum = State(0);
                for (std::int64_t i = 0; i < scan.keys; ++i) {
                    carry[i] += this->q(t, i) * arriving;
                    sum += this->k(t, i) * carry[i];
                    carry[i] *= this->a(t, i);
                }
                this->writeValue(scan.gradV, t, j, sum);
            },
            [&](std::int64_t t) { this->writeValue(scan.gradV, t, j, State(0)); });
    }

private:
    std::int64_t j;
};

/// A row of the states and of their gradient: the gradients of one key of q, k and a. The state before every
/// kOuterChunk steps is stored on the way forward, and from there it is made again for each step.
template <typename Io, typename State>
class OuterBackwardRow : OuterColumn<OuterScanBackward<Io, State>> {
    using Base = OuterColumn<OuterScanBackward<Io, State>>;

public:
    UNROLL_HOST_DEVICE OuterBackwardRow(const OuterScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.keys), i(unit % s.keys)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxOuterColumn], carry[kMaxOuterColumn];
        walkForward(state);
        for (std::int64_t j = 0; j < scan.values; ++j)
            carry[j] = this->read(scan.gradLast, i, j);
        State sum = State(0); // of a constant factor
        this->back([&](std::int64_t position, std::int64_t t) { sum += stepBack(position, t, state, carry); },
                   [&](std::int64_t t) {
                       this->writeKey(scan.gradK, t, i, State(0));
                       writeFactor(t, State(0));
                   });
        for (std::int64_t j = 0; j < scan.values; ++j)
            scan.gradInitial.row(0, this->m_batch)[this->place(i, j)] = carry[j];
        if (scan.constant)
            this->writeKey(scan.factors, 0, i, sum);
    }

private:
    UNROLL_HOST_DEVICE State* stored(std::int64_t position) const
    {
        return this->m_scan.states.row(position / kOuterChunk, this->m_batch) + this->place(i, 0);
    }
    UNROLL_HOST_DEVICE void pass(std::int64_t t, State* state) const
    {
        const State factor = this->a(t, i), key = this->k(t, i);
        for (std::int64_t j = 0; j < this->m_scan.values; ++j)
            state[j] = factor * state[j] + key * this->v(t, j);
    }
    UNROLL_HOST_DEVICE void walkForward(State* state) const
    {
        const auto& scan = this->m_scan;
        for (std::int64_t j = 0; j < scan.values; ++j)
            state[j] = this->read(scan.initial, i, j);
        for (std::int64_t position = 0; position < scan.steps; position += kOuterChunk) {
            for (std::int64_t j = 0; j < scan.values; ++j)
                stored(position)[j] = state[j];
            const std::int64_t end = position + kOuterChunk < scan.steps ? position + kOuterChunk : scan.steps;
            this->forward(
                position, end,
                [&](std::int64_t t) {
                    pass(t, state);
                    State sum = State(0);
                    for (std::int64_t j = 0; j < scan.values; ++j)
                        sum += state[j] * this->value(scan.gradY, t, j);
                    this->writeKey(scan.gradQ, t, i, sum);
                },
                [&](std::int64_t t) { this->writeKey(scan.gradQ, t, i, State(0)); });
        }
    }
    /// The gradient of the step's factor, which is written where it has a time.
    UNROLL_HOST_DEVICE State stepBack(std::int64_t position, std::int64_t t, State* state, State* carry) const
    {
        const auto& scan = this->m_scan;
        for (std::int64_t j = 0; j < scan.values; ++j)
            state[j] = stored(position)[j];
        this->forward(
            position / kOuterChunk * kOuterChunk, position, [&](std::int64_t at) { pass(at, state); },
            [](std::int64_t) {});
        const State factor = this->a(t, i), query = this->q(t, i);
        State toKey = State(0), toFactor = State(0);
        for (std::int64_t j = 0; j < scan.values; ++j) {
            carry[j] += query * this->value(scan.gradY, t, j);
            toKey += carry[j] * this->v(t, j);
            toFactor += carry[j] * state[j];
            carry[j] *= factor;
        }
        this->writeKey(scan.gradK, t, i, toKey);
        writeFactor(t, toFactor);
        return toFactor;
    }
    UNROLL_HOST_DEVICE void writeFactor(std::int64_t t, State number) const
    {
        if (!this->m_scan.a)
            return;
        if (this->m_scan.decays > 1)
            this->writeKey(this->m_scan.gradA, t, i, number);
        else
            this->writeKey(this->m_scan.factors, t, i, number);
    }

    std::int64_t i;
};

/// A column where `unit` is one, else a row.
template <typename Io, typename State>
class OuterBackwardThread {
public:
    UNROLL_HOST_DEVICE OuterBackwardThread(const OuterScanBackward<Io, State>& s, std::int64_t b, std::int64_t u)
        : scan(s), batch(b), unit(u)
    {}
    UNROLL_HOST_DEVICE void run() const
    {
        const std::int64_t columns = scan.heads * scan.values;
        if (unit < columns)
            OuterBackwardColumn<Io, State>(scan, batch, unit).run();
        else
            OuterBackwardRow<Io, State>(scan, batch, unit - columns).run();
    }

private:
    const OuterScanBackward<Io, State>& scan;
    std::int64_t batch, unit;
};

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const OuterScanForward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return OuterForwardColumn<Io, State>(scan, batch, unit);
}

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const OuterScanBackward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return OuterBackwardThread<Io, State>(scan, batch, unit);
}

} // namespace unroll::kernels
