// SPDX-License-Identifier: GPL-3.0-or-later
// delta_scan by threads that walk alone. Forward, a thread has one column of a head's state: the keys' factors of one
// value; the u of a step needs no other column. Backward, a first pass has columns, which give the gradients of u and
// v; with these and u, rows know nothing of each other, and a second pass has the rows.
#pragma once

#include "core/kernels/delta_scan/delta_scan_params.h"
#include "core/kernels/heads/head_column.h"

namespace unroll::kernels {

/// What columns and rows of delta_scan read besides: z, b and w.
template <class Base>
class DeltaReader : public Base {
protected:
    using Base::Base;
    using typename Base::State;

    UNROLL_HOST_DEVICE State z(std::int64_t t, std::int64_t i) const { return this->key(this->m_scan.z, t, i); }
    UNROLL_HOST_DEVICE State b(std::int64_t t, std::int64_t i) const
    {
        return this->key(this->m_scan.b ? this->m_scan.b : this->m_scan.k, t, i);
    }
    UNROLL_HOST_DEVICE State w(std::int64_t t, std::int64_t i) const
    {
        const auto& rows = this->m_scan.w;
        return rows ? static_cast<State>(rows.row(t, this->m_batch)[this->decayPlace(i)]) : State(1);
    }
};

template <typename Io, typename State>
class DeltaForwardColumn : DeltaReader<HeadColumn<DeltaScanForward<Io, State>>> {
    using Base = DeltaReader<HeadColumn<DeltaScanForward<Io, State>>>;

public:
    UNROLL_HOST_DEVICE DeltaForwardColumn(const DeltaScanForward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxHeadColumn];
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
class DeltaBackwardColumn : DeltaReader<HeadColumn<DeltaScanBackward<Io, State>>> {
    using Base = DeltaReader<HeadColumn<DeltaScanBackward<Io, State>>>;

public:
    UNROLL_HOST_DEVICE DeltaBackwardColumn(const DeltaScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.values), j(unit % s.values)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State carry[kMaxHeadColumn];
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

/// A row of the states and of their gradient: the gradients of one key of q, k, z, b and w.
template <typename Io, typename State>
class DeltaBackwardRow : public DeltaReader<HeadRow<DeltaScanBackward<Io, State>, DeltaBackwardRow<Io, State>>> {
    using Base = DeltaReader<HeadRow<DeltaScanBackward<Io, State>, DeltaBackwardRow<Io, State>>>;

public:
    UNROLL_HOST_DEVICE DeltaBackwardRow(const DeltaScanBackward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        const auto& scan = this->m_scan;
        State state[kMaxHeadColumn], carry[kMaxHeadColumn];
        this->walkForward(state);
        for (std::int64_t j = 0; j < scan.values; ++j)
            carry[j] = this->read(scan.gradLast, this->m_key, j);
        this->back([&](std::int64_t position, std::int64_t t) { stepBack(position, t, state, carry); },
                   [&](std::int64_t t) { write(t, State(0), State(0), State(0), State(0)); });
    }

    UNROLL_HOST_DEVICE void pass(std::int64_t t, State* state) const
    {
        const State factor = this->w(t, this->m_key), key = this->k(t, this->m_key), by = this->b(t, this->m_key);
        for (std::int64_t j = 0; j < this->m_scan.values; ++j)
            state[j] = factor * state[j] + by * this->value(this->m_scan.u, t, j) + key * this->v(t, j);
    }

private:
    UNROLL_HOST_DEVICE void stepBack(std::int64_t position, std::int64_t t, State* state, State* carry) const
    {
        const auto& scan = this->m_scan;
        this->restore(position, state);
        const State factor = this->w(t, this->m_key), query = this->q(t, this->m_key), asked = this->z(t, this->m_key);
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
        this->writeKey(scan.gradK, t, this->m_key, scan.b ? toKey : toKey + toB);
        this->writeKey(scan.gradB, t, this->m_key, toB);
        this->writeKey(scan.gradZ, t, this->m_key, toZ);
        if (scan.decays > 1)
            this->writeKey(scan.gradW, t, this->m_key, toFactor);
        else
            this->writeKey(scan.factors, t, this->m_key, toFactor);
    }
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
