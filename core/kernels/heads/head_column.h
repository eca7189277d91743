// SPDX-License-Identifier: GPL-3.0-or-later
// What threads share that walk alone over a head's state: where its numbers are, step after step. Forward, a thread has
// one column of the state, the keys' factors of one value; backward, further ones have rows, of one key.
#pragma once

#include "core/kernels/heads/head_domain.h"
#include "core/kernels/scan/column_view.h"

namespace unroll::kernels {

template <class Scan>
class HeadColumn {
public:
    using Io = typename Scan::IoType;
    using State = typename Scan::StateType;

    UNROLL_HOST_DEVICE HeadColumn(const Scan& s, std::int64_t b, std::int64_t h) : m_scan(s), m_batch(b), m_head(h) {}

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
    UNROLL_HOST_DEVICE State v(std::int64_t t, std::int64_t j) const { return value(m_scan.v, t, j); }
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
    /// Where the factor of key i is in a row of factors.
    UNROLL_HOST_DEVICE std::int64_t decayPlace(std::int64_t i) const
    {
        return m_scan.firstDecay(m_head) + (m_scan.decays > 1 ? i : 0);
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

/// A row of the states on the way back. The state before every kHeadChunk steps is stored on the way forward, and from
/// there it is made again for each step. `Row` derives from it and has pass(t, state): a step forward.
template <class Scan, class Row>
class HeadRow : public HeadColumn<Scan> {
    using Base = HeadColumn<Scan>;

protected:
    using State = typename Base::State;

    UNROLL_HOST_DEVICE HeadRow(const Scan& s, std::int64_t b, std::int64_t unit)
        : Base(s, b, unit / s.keys), m_key(unit % s.keys)
    {}

    /// Stores the states, and writes the gradients of q, which need no others.
    UNROLL_HOST_DEVICE void walkForward(State* state) const
    {
        const auto& scan = this->m_scan;
        for (std::int64_t j = 0; j < scan.values; ++j)
            state[j] = this->read(scan.initial, m_key, j);
        for (std::int64_t position = 0; position < scan.steps; position += kHeadChunk) {
            for (std::int64_t j = 0; j < scan.values; ++j)
                stored(position)[j] = state[j];
            const std::int64_t end = position + kHeadChunk < scan.steps ? position + kHeadChunk : scan.steps;
            this->forward(
                position, end,
                [&](std::int64_t t) {
                    row().pass(t, state);
                    State sum = State(0);
                    for (std::int64_t j = 0; j < scan.values; ++j)
                        sum += state[j] * this->value(scan.gradY, t, j);
                    this->writeKey(scan.gradQ, t, m_key, sum);
                },
                [&](std::int64_t t) { this->writeKey(scan.gradQ, t, m_key, State(0)); });
        }
    }
    /// The state before a position.
    UNROLL_HOST_DEVICE void restore(std::int64_t position, State* state) const
    {
        for (std::int64_t j = 0; j < this->m_scan.values; ++j)
            state[j] = stored(position)[j];
        this->forward(
            position / kHeadChunk * kHeadChunk, position, [&](std::int64_t t) { row().pass(t, state); },
            [](std::int64_t) {});
    }

    std::int64_t m_key;

private:
    UNROLL_HOST_DEVICE const Row& row() const { return static_cast<const Row&>(*this); }
    UNROLL_HOST_DEVICE State* stored(std::int64_t position) const
    {
        return this->m_scan.states.row(position / kHeadChunk, this->m_batch) + this->place(m_key, 0);
    }
};

} // namespace unroll::kernels
