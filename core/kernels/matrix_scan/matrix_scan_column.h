// SPDX-License-Identifier: GPL-3.0-or-later
// matrix_scan along one row of one matrix, as a CUDA thread runs it; tests run it on the CPU. Row i of h_t depends on row i of h_{t-1} and all
// of m_t alone, so the rows of a matrix need nothing of each other, and on a GPU they read the same m from the cache. Backward, the
// gradient that arrives at each state goes the same way; the product h_{t-1}^T c_t, which joins rows, is taken for all steps afterwards.
#pragma once

#include "core/kernels/common/column_view.h"
#include "core/kernels/matrix_scan/matrix_scan_params.h"

namespace unroll::kernels {

/// Up to `capacity` numbers, in registers where it is small: every loop over them has turns that are known when compiled.
template <typename State, int capacity>
struct RowOfNumbers {
    State value[capacity];
    int count;

    UNROLL_HOST_DEVICE explicit RowOfNumbers(std::int64_t n) : count(static_cast<int>(n)) {}

    /// each(k) for k = 0 .. count - 1
    template <class Each>
    UNROLL_HOST_DEVICE void forAll(const Each& each) const
    {
        if constexpr (capacity <= 16) {
            UNROLL_ALL_TURNS
            for (int k = 0; k < capacity; ++k)
                if (k < count)
                    each(k);
        } else {
            for (int k = 0; k < count; ++k)
                each(k);
        }
    }
    /// value[k] = from[k * stride]; zeros where nothing is there (nullptr)
    template <typename T>
    UNROLL_HOST_DEVICE void read(const T* from, std::int64_t stride = 1)
    {
        forAll([&](int k) { value[k] = from != nullptr ? static_cast<State>(from[k * stride]) : State(0); });
    }
    template <typename T>
    UNROLL_HOST_DEVICE void write(T* to) const
    {
        forAll([&](int k) { to[k] = static_cast<T>(value[k]); });
    }
    /// sum of value[k] * with[k * stride]
    template <typename T>
    UNROLL_HOST_DEVICE State dot(const T* with, std::int64_t stride) const
    {
        State sum = State(0);
        forAll([&](int k) { sum += value[k] * static_cast<State>(with[k * stride]); });
        return sum;
    }
};

/// Where the numbers of one row lie among those of its step and sequence.
struct MatrixPlace {
    std::int64_t size, matrix, row;

    UNROLL_HOST_DEVICE MatrixPlace(std::int64_t n, std::int64_t unit)
        : size(n), matrix(unit / n * n * n), row(matrix + unit % n * n)
    {}
};

template <typename Io, typename State, int capacity>
struct MatrixScanForwardColumn {
    /// `unit` counts the rows of all matrices of a sequence.
    UNROLL_HOST_DEVICE MatrixScanForwardColumn(const MatrixScanForward<Io, State>& s, std::int64_t b, std::int64_t unit)
        : scan(s), batch(b), place(s.size, unit), state(s.size)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        state.read(scan.initial.row(0, batch) + place.row);
        for (std::int64_t position = 0; position < scan.steps; ++position) {
            const std::int64_t t = scan.at(position).step;
            if (scan.mask.real(t, batch))
                step(scan.m.row(t, batch) + place.matrix);
            state.write(scan.h.row(t, batch) + place.row);
        }
        state.write(scan.last.row(0, batch) + place.row);
    }

    UNROLL_HOST_DEVICE void step(const Io* m)
    {
        RowOfNumbers<State, capacity> next(place.size);
        next.forAll([&](int j) { next.value[j] = state.dot(m + j, place.size); });
        state = next;
    }

    const MatrixScanForward<Io, State>& scan;
    std::int64_t batch;
    MatrixPlace place;
    RowOfNumbers<State, capacity> state;
};

/// Leaves in gradM what arrives at each state; MatrixScanProductColumn makes the gradient of m of it.
template <typename Io, typename State, int capacity>
struct MatrixScanBackwardColumn {
    UNROLL_HOST_DEVICE MatrixScanBackwardColumn(const MatrixScanBackward<Io, State>& s, std::int64_t b,
                                                std::int64_t unit)
        : scan(s), batch(b), place(s.size, unit), grad(s.size)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        grad.read(rowOrNull(scan.gradLast, 0, batch, place.row));
        for (std::int64_t position = scan.steps - 1; position >= 0; --position)
            step(scan.at(position).step);
        grad.write(scan.gradInitial.row(0, batch) + place.row);
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t)
    {
        RowOfNumbers<State, capacity> other(place.size);
        other.read(rowOrNull(scan.gradH, t, batch, place.row));
        grad.forAll([&](int k) { grad.value[k] += other.value[k]; });
        Io* arrived = scan.gradM.row(t, batch) + place.row;
        if (!scan.mask.real(t, batch)) {
            other.read(static_cast<const State*>(nullptr));
            return other.write(arrived);
        }
        grad.write(arrived);
        const Io* m = scan.m.row(t, batch) + place.matrix;
        other.forAll([&](int k) { other.value[k] = grad.dot(m + k * place.size, 1); });
        grad = other;
    }

    const MatrixScanBackward<Io, State>& scan;
    std::int64_t batch;
    MatrixPlace place;
    RowOfNumbers<State, capacity> grad;
};

/// The second pass: every step of every sequence is a batch of its own.
template <typename Io, typename State>
struct MatrixScanProducts {
    explicit MatrixScanProducts(const MatrixScanBackward<Io, State>& s)
        : scan(s), batch(s.steps * s.batch), width(s.width)
    {}
    MatrixScanBackward<Io, State> scan;
    std::int64_t batch;
    std::int64_t width;
};

template <typename Io, typename State>
bool complete(const MatrixScanProducts<Io, State>& products)
{
    return complete(products.scan);
}

/// One column of the gradient of one m, in the place of what the first pass left there: no other column needs it.
template <typename Io, typename State, int capacity>
struct MatrixScanProductColumn {
    UNROLL_HOST_DEVICE MatrixScanProductColumn(const MatrixScanProducts<Io, State>& products, std::int64_t index,
                                               std::int64_t unit)
        : scan(products.scan), batch(index % scan.batch), place(scan.size, unit), walk(scan.at(index / scan.batch))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        if (walk.first)
            multiply(scan.initial.row(0, batch) + place.matrix);
        else
            multiply(scan.h.row(walk.before, batch) + place.matrix);
    }

    template <typename T>
    UNROLL_HOST_DEVICE void multiply(const T* before)
    {
        const std::int64_t n = place.size, column = (place.row - place.matrix) / n;
        Io* gradM = scan.gradM.row(walk.step, batch) + place.matrix + column;
        RowOfNumbers<State, capacity> arrived(n);
        arrived.read(gradM, n);
        arrived.forAll([&](int k) { gradM[k * n] = static_cast<Io>(arrived.dot(before + k, n)); });
    }

    const MatrixScanBackward<Io, State>& scan;
    std::int64_t batch;
    MatrixPlace place;
    WalkStep walk;
};

} // namespace unroll::kernels
