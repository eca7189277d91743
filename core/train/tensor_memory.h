// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace unroll {

/// Makes torch's CPU tensors reuse the memory of those that went before: a training step asks for the same sizes again
/// and again, and pages fresh from the system are written at a tenth of the speed of pages in use. Process-wide and for
/// good; further calls do nothing. Thread-safe. Numbers do not change.
void keepTensorMemory();

/// Gives what is kept back to the system, at the end of a run; returns how many bytes that were.
std::size_t releaseTensorMemory();

} // namespace unroll
