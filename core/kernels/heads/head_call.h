// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side that outer_scan and delta_scan share.
#pragma once

#include "core/kernels/heads/head_domain.h"
#include "core/kernels/op/scan_op.h"

namespace unroll::kernels {

/// A call whose states are matrices of heads; `sizes` are steps, batch, heads, n, m: outputs are none of the states'
/// sizes. q (T,B,heads,n) and v (T,B,heads,m) give the sizes.
struct HeadCall : ScanCall {
    HeadCall(const char* op, const at::Tensor& givenQ, const at::Tensor& givenK, const at::Tensor& givenV,
             const MaybeTensor& initialState, const MaybeTensor& stepMask, bool reversed);

    /// ScanCall's of outputs, with the heads joined: (T,B,heads m), (B,heads n m).
    at::Tensor sequence(const char* name, const MaybeTensor& tensor) const;
    at::Tensor state(const char* name, const MaybeTensor& tensor) const;
    at::Tensor emptySequence() const; ///< (T,B,heads,m)

    /// An argument of keys, (T,B,heads,n) or with `values` (T,B,heads,m): checked, the heads joined; undefined where
    /// absent.
    at::Tensor ofHeads(const char* name, const MaybeTensor& tensor, bool values = false) const;
    /// A factor (T,B,heads,n) or (T,B,heads), likewise: (T,B,heads decays).
    at::Tensor factor(const char* name, const MaybeTensor& tensor, const char* expected) const;
    /// 1 where `factor` has none of each key.
    std::int64_t decaysOf(const MaybeTensor& factor) const;

    template <class Pass>
    void fillHeads(Pass& pass) const
    {
        fill(pass);
        pass.heads = sizes[2];
        pass.keys = sizes[3];
        pass.values = sizes[4];
        pass.decays = decays;
        pass.q = rowsOf<const typename Pass::IoType>(q);
        pass.k = rowsOf<const typename Pass::IoType>(k);
        pass.v = rowsOf<const typename Pass::IoType>(v);
        pass.initial = rowsOf<const typename Pass::StateType>(joinedInitial);
    }

    // For threads that walk alone, in the type of states.
    at::Tensor emptyStates() const;                                         ///< (chunks,B,heads n m)
    at::Tensor emptyKeys(bool steps = true) const;                          ///< (T,B,heads n), or (B,heads n)
    at::Tensor sumOverKeys(const at::Tensor& keys) const;                   ///< (...,heads) of (...,heads n)
    static at::Tensor joined(const at::Tensor& tensor, std::int64_t first); ///< dimensions from `first` on as one

    static SymbolicSequence symbolicSequence(const char* op, const at::Tensor& v);
    static std::vector<c10::SymInt> symbolicState(const char* op, const at::Tensor& q, const at::Tensor& v);

    std::int64_t decays = 1;
    at::Tensor q, k, v;       ///< (T,B,heads n), (T,B,heads m)
    at::Tensor joinedInitial; ///< (B,heads n m) or undefined
};

} // namespace unroll::kernels
