// SPDX-License-Identifier: GPL-3.0-or-later
// A row of a matrix in a thread's registers, and matrices in the memory that the threads of a block share.
#pragma once

#include "core/kernels/scan/rows.h"

namespace unroll::kernels {

/// Matrices of n rows. An odd pitch keeps threads that walk different rows of a matrix on different banks.
template <typename State>
struct MatrixArea {
    State* data = nullptr;
    int size = 1;

    UNROLL_HOST_DEVICE static int pitch(int n) { return n | 1; }
    UNROLL_HOST_DEVICE static int numbers(int n) { return n * pitch(n); }
    UNROLL_HOST_DEVICE State* row(int matrix, int row) const
    {
        return data + matrix * numbers(size) + row * pitch(size);
    }
};

/// Up to `capacity` numbers, in registers where it is small: every loop over them has turns that are known when
/// compiled.
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
    UNROLL_HOST_DEVICE void clear()
    {
        forAll([&](int k) { value[k] = State(0); });
    }
    /// Row `i` of the identity.
    UNROLL_HOST_DEVICE void unit(int i)
    {
        forAll([&](int k) { value[k] = State(k == i ? 1 : 0); });
    }
    /// Zeros where nothing is there (nullptr).
    template <typename T>
    UNROLL_HOST_DEVICE void read(const T* from)
    {
        forAll([&](int k) { value[k] = from != nullptr ? static_cast<State>(from[k]) : State(0); });
    }
    template <typename T>
    UNROLL_HOST_DEVICE void add(const T* from)
    {
        forAll([&](int k) { value[k] += static_cast<State>(from[k]); });
    }
    template <typename T>
    UNROLL_HOST_DEVICE void write(T* to) const
    {
        forAll([&](int k) { to[k] = static_cast<T>(value[k]); });
    }
    /// row = row M, of the matrix whose row k is at matrix + k * pitch
    UNROLL_HOST_DEVICE void times(const State* matrix, int pitch)
    {
        RowOfNumbers product(count);
        product.clear();
        forAll([&](int k) { product.forAll([&](int j) { product.value[j] += value[k] * matrix[k * pitch + j]; }); });
        *this = product;
    }
    /// row = row M^T
    UNROLL_HOST_DEVICE void timesTransposed(const State* matrix, int pitch)
    {
        RowOfNumbers product(count);
        product.forAll([&](int k) {
            State sum = State(0);
            forAll([&](int j) { sum += value[j] * matrix[k * pitch + j]; });
            product.value[k] = sum;
        });
        *this = product;
    }
};

} // namespace unroll::kernels
