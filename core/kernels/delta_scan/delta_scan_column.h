// SPDX-License-Identifier: GPL-3.0-or-later
// delta_scan by threads that walk alone. Forward, a thread has one column of a head's state: the keys' factors of one
// value; the u of a step needs no other column. Backward, a first pass has columns, which give the gradients of u and
// v; with these and u, rows know nothing of each other, and a second pass has the rows.
#pragma once

#include "core/kernels/delta_scan/delta_scan_params.h"
#include "core/kernels/scan/column_view.h"

namespace unroll::kernels {

/// What the columns and rows of a head share: where its numbers are, step after step.
template <class Scan>
class DeltaColumn {
public:
    using Io = typename Scan::IoType;
    using State = typename Scan::StateType;

    UNROLL_HOST_DEVICE DeltaColumn(const Scan& s, std::int64_t b, std::int64_t h) : m_scan(s), m_batch(b), m_head(h) {}

protected:
    /// Calls step(t) for real steps and hold(t) for others, from position `begin` of the forward walk to `end`.
    template <class Step, class Hold>
    UNROLL_HOST_DEVICE void forward(std::int64_t begin, std::int64_t end, const Step& step, const Hold& hold) const
    {
        for (std::int64_t position = begin; position < end; ++position) {
            const std::int64_t t = m_scan.at(position).step;
            m_scan.mask.real(t, m_batch) ? step(t) : hold(t);
        }
    }
    /// step(position, t), hold(t), from the last position to the first
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
    UNROLL_HOST_DEVICE State z(std::int64_t t, std::int64_t i) const { return key(m_scan.z, t, i); }
    UNROLL_HOST_DEVICE State b(std::int64_t t, std::int64_t i) const
    {
        return key(m_scan.b ? m_scan.b : m_scan.k, t, i);
    }
    UNROLL_HOST_DEVICE State v(std::int64_t t, std::int64_t j) const { return value(m_scan.v, t, j); }
    UNROLL_HOST_DEVICE State w(std::int64_t t, std::int64_t i) const
    {
        const std::int64_t at = m_scan.firstDecay(m_head) + (m_scan.decays > 1 ? i : 0);
        return m_scan.w ? static_cast<State>(m_scan.w.row(t, m_batch)[at]) : State(1);
    }
    UNROLL_HOST_DEVICE State key(const Rows<const Io>& rows, std::int64_t t, std::int64_t i) const
    {
        return static_cast<State>(rows.row(t, m_batch)[m_scan.firstKey(m_head) + i]);
    }
    template <typename T>
    UNROLL_HOST_DEVICE State value(const Rows<T>& rows, std::int64_t t, std::int64_t j) const
    {
        return rows ? static_cast<State>(rows.row(t, m_batch)[m_scan.firstValue(m_head) + j]) : State(0);
    }
    template <typename T>
    UNROLL_HOST_DEVICE void writeKey(const Rows<T>& rows, std::int64_t t, std::int64_t i, State number) const
    {
        if (rows)
            rows.row(t, m_batch)[m_scan.firstKey(m_head) + i] = static_cast<T>(number);
    }
    template <typename T>
    UNROLL_HOST_DEVICE void writeValue(const Rows<T>& rows, std::int64_t t, std::int64_t j, State number) const
    {
        rows.row(t, m_batch)[m_scan.firstValue(m_head) + j] = static_cast<T>(number);
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
class DeltaForwardColumn : DeltaColumn<DeltaScanForward<Io, State>> {
    using Base = DeltaColumn<DeltaScanForward<Io, State>>;

public:
    UNROLL_HOST_DEVICE DeltaForwardColumn(const DeltaScanForward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxDeltaColumn];
        for (std::int64_t i = 0; i < scan.keys; ++i)
            state[i] = this->read(scan.initial, i, j);
        this->forward(
            0, scan.steps, [&](std::int64_t t) { step(t, state); },
            [&](std::int64_t t) {
                this->writeValue(scan.y, t, j, State(0));
                this->writeValue(scan.u, t, j, State(0));
            });
        for (std::int64_t i = 0; i < scan.keys; ++i)
            scan.last.row(0, this->m_batch)[this->place(i, j)] = state[i];
    }

private:
    UNROLL_HOST_DEVICE void step(std::int64_t t, State* state) const
    {
        const auto& scan = this->m_scan;
        const State added = this->v(t, j);
        State u = State(0), y = State(0);
        for (std::int64_t i = 0; i < scan.keys; ++i)
            u += this->z(t, i) * state[i];
        for (std::int64_t i = 0; i < scan.keys; ++i) {
            state[i] = this->w(t, i) * state[i] + this->b(t, i) * u + this->k(t, i) * added;
            y += this->q(t, i) * state[i];
        }
        this->writeValue(scan.y, t, j, y);
        this->writeValue(scan.u, t, j, u);
    }

    std::int64_t j;
};

/// A column of the states' gradient: those of v, u and the initial state.
template <typename Io, typename State>
class DeltaBackwardColumn : DeltaColumn<DeltaScanBackward<Io, State>> {
    using Base = DeltaColumn<DeltaScanBackward<Io, State>>;

public:
    UNROLL_HOST_DEVICE DeltaBackwardColumn(const DeltaScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State carry[kMaxDeltaColumn];
        for (std::int64_t i = 0; i < scan.keys; ++i)
            carry[i] = this->read(scan.gradLast, i, j);
        this->back([&](std::int64_t, std::int64_t t) { stepBack(t, carry); },
                   [&](std::int64_t t) { this->writeValue(scan.gradV, t, j, State(0)); });
        for (std::int64_t i = 0; i < scan.keys; ++i)
            scan.gradInitial.row(0, this->m_batch)[this->place(i, j)] = carry[i];
    }

private:
    UNROLL_HOST_DEVICE void stepBack(std::int64_t t, State* carry) const
    {
        const auto& scan = this->m_scan;
        const State arriving = this->value(scan.gradY, t, j);
        State toV = State(0), toU = this->value(scan.gradU, t, j);
        for (std::int64_t i = 0; i < scan.keys; ++i) {
            carry[i] += this->q(t, i) * arriving;
            toV += this->k(t, i) * carry[i];
            toU += this->b(t, i) * carry[i];
        }
        for (std::int64_t i = 0; i < scan.keys; ++i)
            carry[i] = this->w(t, i) * carry[i] + this->z(t, i) * toU;
        this->writeValue(scan.gradV, t, j, toV);
        this->writeValue(scan.toU, t, j, toU);
    }

    std::int64_t j;
};

/// A row of the states and of their gradient: the gradients of one key of q, k, z, b and w. The state before every
/// kDeltaChunk steps is stored on the way forward, and from there it is made again for each step.
template <typename Io, typename State>
class DeltaBackwardRow : DeltaColumn<DeltaScanBackward<Io, State>> {
    using Base = DeltaColumn<DeltaScanBackward<Io, State>>;

public:
    UNROLL_HOST_DEVICE DeltaBackwardRow(const DeltaScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.keys), i(unit % s.keys)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxDeltaColumn], carry[kMaxDeltaColumn];
        walkForward(state);
        for (std::int64_t j = 0; j < scan.values; ++j)
            carry[j] = this->read(scan.gradLast, i, j);
        this->back([&](std::int64_t position, std::int64_t t) { stepBack(position, t, state, carry); },
                   [&](std::int64_t t) { write(t, State(0), State(0), State(0), State(0)); });
    }

private:
    UNROLL_HOST_DEVICE State* stored(std::int64_t position) const
    {
        return this->m_scan.states.row(position / kDeltaChunk, this->m_batch) + this->place(i, 0);
    }
    UNROLL_HOST_DEVICE void pass(std::int64_t t, State* state) const
    {
        const State factor = this->w(t, i), key = this->k(t, i), by = this->b(t, i);
        for (std::int64_t j = 0; j < this->m_scan.values; ++j)
            state[j] = factor * state[j] + by * this->value(this->m_scan.u, t, j) + key * this->v(t, j);
    }
    UNROLL_HOST_DEVICE void walkForward(State* state) const
    {
        const auto& scan = this->m_scan;
        for (std::int64_t j = 0; j < scan.values; ++j)
            state[j] = this->read(scan.initial, i, j);
        for (std::int64_t position = 0; position < scan.steps; position += kDeltaChunk) {
            for (std::int64_t j = 0; j < scan.values; ++j)
                stored(position)[j] = state[j];
            const std::int64_t end = position + kDeltaChunk < scan.steps ? position + kDeltaChunk : scan.steps;
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
    UNROLL_HOST_DEVICE void stepBack(std::int64_t position, std::int64_t t, State* state, State* carry) const
    {
        const auto& scan = this->m_scan;
        for (std::int64_t j = 0; j < scan.values; ++j)
            state[j] = stored(position)[j];
        this->forward(
            position / kDeltaChunk * kDeltaChunk, position, [&](std::int64_t at) { pass(at, state); },
            [](std::int64_t) {});
        const State factor = this->w(t, i), query = this->q(t, i), asked = this->z(t, i);
        State toKey = State(0), toB = State(0), toZ = State(0), toFactor = State(0);
        for (std::int64_t j = 0; j < scan.values; ++j) {
            const State u = this->value(scan.u, t, j), toU = this->value(scan.toU, t, j);
            carry[j] += query * this->value(scan.gradY, t, j);
            toKey += carry[j] * this->v(t, j);
            toB += carry[j] * u;
            toZ += state[j] * toU;
            toFactor += carry[j] * state[j];
            carry[j] = factor * carry[j] + asked * toU;
        }
        write(t, toKey, toB, toZ, toFactor);
    }
    UNROLL_HOST_DEVICE void write(std::int64_t t, State toKey, State toB, State toZ, State toFactor) const
    {
        const auto& scan = this->m_scan;
        this->writeKey(scan.gradK, t, i, scan.b ? toKey : toKey + toB);
        this->writeKey(scan.gradB, t, i, toB);
        this->writeKey(scan.gradZ, t, i, toZ);
        if (scan.decays > 1)
            this->writeKey(scan.gradW, t, i, toFactor);
        else
            this->writeKey(scan.factors, t, i, toFactor);
    }

    std::int64_t i;
};

/// A column in the first pass, a row in the second.
template <typename Io, typename State>
class DeltaBackwardThread {
public:
    UNROLL_HOST_DEVICE DeltaBackwardThread(const DeltaScanBackward<Io, State>& s, std::int64_t b, std::int64_t u)
        : scan(s), batch(b), unit(u)
    {}
    UNROLL_HOST_DEVICE void run() const
    {
        if (scan.rows)
            DeltaBackwardRow<Io, State>(scan, batch, unit).run();
        else
            DeltaBackwardColumn<Io, State>(scan, batch, unit).run();
    }

private:
    const DeltaScanBackward<Io, State>& scan;
    std::int64_t batch, unit;
};

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const DeltaScanForward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return DeltaForwardColumn<Io, State>(scan, batch, unit);
}

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const DeltaScanBackward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return DeltaBackwardThread<Io, State>(scan, batch, unit);
}

} // namespace unroll::kernels
