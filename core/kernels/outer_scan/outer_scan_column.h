// SPDX-License-Identifier: GPL-3.0-or-later
// outer_scan by threads that walk alone. Forward, a thread has one column of a head's state: the keys' factors of one
// value. Backward, further threads have its rows: gradients of v need columns, those of q, k and a rows.
#pragma once

#include "core/kernels/heads/head_column.h"
#include "core/kernels/outer_scan/outer_scan_params.h"

namespace unroll::kernels {

/// What columns and rows of outer_scan read besides: a.
template <class Base>
class OuterReader : public Base {
protected:
    using Base::Base;
    using typename Base::State;

    UNROLL_HOST_DEVICE State a(std::int64_t t, std::int64_t i) const
    {
        const auto& scan = this->m_scan;
        if (scan.a)
            return static_cast<State>(scan.a.row(t, this->m_batch)[this->decayPlace(i)]);
        return scan.constant ? scan.constant.row(0, 0)[this->decayPlace(i)] : State(1);
    }
};

template <typename Io, typename State>
class OuterForwardColumn : OuterReader<HeadColumn<OuterScanForward<Io, State>>> {
    using Base = OuterReader<HeadColumn<OuterScanForward<Io, State>>>;

public:
    UNROLL_HOST_DEVICE OuterForwardColumn(const OuterScanForward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxHeadColumn];
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
class OuterBackwardColumn : OuterReader<HeadColumn<OuterScanBackward<Io, State>>> {
    using Base = OuterReader<HeadColumn<OuterScanBackward<Io, State>>>;

public:
    UNROLL_HOST_DEVICE OuterBackwardColumn(const OuterScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State carry[kMaxHeadColumn];
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

/// A row of the states and of their gradient: the gradients of one key of q, k and a.
template <typename Io, typename State>
class OuterBackwardRow : public OuterReader<HeadRow<OuterScanBackward<Io, State>, OuterBackwardRow<Io, State>>> {
    using Base = OuterReader<HeadRow<OuterScanBackward<Io, State>, OuterBackwardRow<Io, State>>>;

public:
    UNROLL_HOST_DEVICE OuterBackwardRow(const OuterScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxHeadColumn], carry[kMaxHeadColumn];
        this->walkForward(state);
        for (std::int64_t j = 0; j < scan.values; ++j)
            carry[j] = this->read(scan.gradLast, this->m_key, j);
        State sum = State(0); // of a constant factor
        this->back([&](std::int64_t position, std::int64_t t) { sum += stepBack(position, t, state, carry); },
                   [&](std::int64_t t) {
                       this->writeKey(scan.gradK, t, this->m_key, State(0));
                       writeFactor(t, State(0));
                   });
        for (std::int64_t j = 0; j < scan.values; ++j)
            scan.gradInitial.row(0, this->m_batch)[this->place(this->m_key, j)] = carry[j];
        if (scan.constant)
            this->writeKey(scan.factors, 0, this->m_key, sum);
    }

    UNROLL_HOST_DEVICE void pass(std::int64_t t, State* state) const
    {
        const State factor = this->a(t, this->m_key), key = this->k(t, this->m_key);
        for (std::int64_t j = 0; j < this->m_scan.values; ++j)
            state[j] = factor * state[j] + key * this->v(t, j);
    }

private:
    /// The gradient of the step's factor, which is written where it has a time.
    UNROLL_HOST_DEVICE State stepBack(std::int64_t position, std::int64_t t, State* state, State* carry) const
    {
        const auto& scan = this->m_scan;
        this->restore(position, state);
        const State factor = this->a(t, this->m_key), query = this->q(t, this->m_key);
        State toKey = State(0), toFactor = State(0);
        for (std::int64_t j = 0; j < scan.values; ++j) {
            carry[j] += query * this->value(scan.gradY, t, j);
            toKey += carry[j] * this->v(t, j);
            toFactor += carry[j] * state[j];
            carry[j] *= factor;
        }
        this->writeKey(scan.gradK, t, this->m_key, toKey);
        writeFactor(t, toFactor);
        return toFactor;
    }
    UNROLL_HOST_DEVICE void writeFactor(std::int64_t t, State number) const
    {
        if (!this->m_scan.a)
            return;
        if (this->m_scan.decays > 1)
            this->writeKey(this->m_scan.gradA, t, this->m_key, number);
        else
            this->writeKey(this->m_scan.factors, t, this->m_key, number);
    }
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
