// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/input_file.h"
#include "core/base/result.h"
#include "core/format/file_calls.h"
#include "core/format/npy.h"
#include "core/format/safetensors.h"
#include "core/format/tensor_view.h"
#include "core/format/zip.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// What became of the tensors on their way to numpy.
struct NpzNotes {
    /// One sentence for each tensor that numpy could not hold as it was: "'w': BF16, written as float32".
    std::vector<std::string> widened;
};

/// Writes tensors as an uncompressed .npz, in the order given, one `<name>.npy` each; the file appears whole or not at
/// all. numpy has no bf16: such tensors are widened to float32 (exact) and noted. F8, F6 and F4 are refused, as is what
/// writeSafetensors refuses of names and sizes. Where a kind is given, the archive is marked as that (see own_mark.h).
Result<NpzNotes> writeNpz(const std::filesystem::path& path, std::span<const TensorView> tensors,
                          FileCalls& calls = systemCalls(), std::string_view kind = {});

/// An .npz file open for reading; `open` checks archive and headers of all arrays before any array is read. Compressed
/// archives (numpy.savez_compressed) are refused, so nothing expands; so are arrays of Python objects. Arrays in
/// Fortran order are turned to C order. Errors name the file and the offset in it.
class NpzFile {
public:
    static Result<NpzFile> open(const std::filesystem::path& path);

    std::size_t size() const { return m_arrays.size(); }
    /// Arrays count from 0 in the order of the file.
    TensorInfo info(std::size_t index) const;
    std::optional<std::size_t> find(std::string_view name) const;

    /// Checks the checksum too.
    Result<OwnedTensor> read(std::size_t index) const;
    Result<OwnedTensor> read(std::string_view name) const;

private:
    struct Array {
        std::string name;
        ZipEntry entry;
        NpyHeader header;
    };

    explicit NpzFile(InputFile file);
    static Result<Array> readArrayHeader(const InputFile& file, ZipEntry entry);
    Result<void> checkSum(const Array& array, std::span<const std::byte> data) const;

    InputFile m_file;
    std::vector<Array> m_arrays;
};

/// Every array of a file.
Result<std::vector<OwnedTensor>> readNpz(const std::filesystem::path& path);

/// Reads a lone .npy file; the tensor's name is the file's without ".npy".
Result<OwnedTensor> readNpy(const std::filesystem::path& path);

} // namespace unroll::format
