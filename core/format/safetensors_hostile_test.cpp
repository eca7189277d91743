// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/little_endian.h"
#include "core/format/safetensors.h"
#include "tests/support/test_folder.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace unroll::format {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized =
    true; // time and memory are the sanitizer's, so sizes shrink and nothing is asserted of them
#else
constexpr bool kSanitized = false;
#endif
constexpr std::size_t kLargest = kSanitized ? 2'000'000 : 100'000'000;
constexpr std::size_t kLarge =
    kSanitized ? 1'000'000 : 10'000'000; // cost grows with the size, so one header of the full size will do

// Repeats what `piece` gives for 0, 1, 2, ... until the header has its size, then closes it.
std::string bigHeader(std::size_t headerBytes, std::string start, std::string_view end,
                      const std::function<void(std::string&, std::size_t)>& piece)
{
    std::string header = std::move(start);
    header.reserve(headerBytes + 200);
    for (std::size_t i = 0; header.size() + 100 < headerBytes; ++i)
        piece(header, i);
    header.back() = '}';
    return header += end;
}

std::size_t peakBytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::size_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes)
            return kilobytes * 1024;
    return 0;
}

// Not the time on the wall: others share the machine.
double processorSeconds()
{
    timespec now = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
    bool accepted;
    double seconds;
    std::size_t bytes;
};

// In a child, whose peak memory begins at what it has.
Cost costOfOpening(const std::filesystem::path& path)
{
    int ends[2];
    if (::pipe(ends) != 0)
        return {};
    if (::fork() == 0) {
        const std::size_t before = peakBytes();
        const double start = processorSeconds();
        const auto file = SafetensorsFile::open(path);
        const Cost cost = {file.has_value(), processorSeconds() - start, peakBytes() - before};
        ::_exit(::write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
    }
    Cost cost = {};
    EXPECT_EQ(::read(ends[0], &cost, sizeof cost), static_cast<ssize_t>(sizeof cost));
    ::wait(nullptr);
    ::close(ends[0]);
    ::close(ends[1]);
    return cost;
}

void expectCheap(const std::string& what, const std::string& header, bool accepted)
{
    const TestFolder folder(TestFolder::In::Memory);
    {
        std::ofstream out(folder / "f", std::ios::binary);
        const auto length = static_cast<std::uint64_t>(header.size());
        out.write(reinterpret_cast<const char*>(&length), sizeof length);
        out.write(header.data(), static_cast<std::streamsize>(header.size()));
    }
    const Cost cost = costOfOpening(folder / "f");
    const double factor = static_cast<double>(cost.bytes) / static_cast<double>(header.size());
    std::printf("%-28s %9zu bytes %6.3f s %5.2f x its size in memory\n", what.c_str(), header.size(), cost.seconds,
                factor);
    EXPECT_EQ(cost.accepted, accepted) << what;
    if (!kSanitized) {
        // Under 1 s for the largest of 100 MB on a quiet machine. Sixteen times as much is allowed: a busy machine
        // fails no test, and a reader whose work grows with the square of the header takes hours.
        EXPECT_LT(cost.seconds, 1 + static_cast<double>(header.size()) / 7e6) << what;
        EXPECT_LT(cost.bytes, 2 * header.size() + (1 << 20)) << what;
    }
}

void appendTensor(std::string& header, std::string_view name)
{
    header.append("\"").append(name).append("\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},");
}

TEST(SafetensorsHostile, LargeHeadersCostLittle)
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 16); // else room that was freed before would hide what is taken
    expectCheap("empty tensors",
                bigHeader(kLargest, "{", "", [](std::string& h, std::size_t i) { appendTensor(h, std::to_string(i)); }),
                true);
    expectCheap("one name again and again",
                bigHeader(kLarge, "{", "", [](std::string& h, std::size_t) { appendTensor(h, "a"); }), false);
    const auto overlap = [](std::string& h, std::size_t i) {
        h += "\"" + std::to_string(i) + "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},";
    };
    expectCheap("overlapping tensors", bigHeader(kLarge, "{", "", overlap), false);
    const auto pair = [](std::string& h, std::size_t i) { h += "\"" + std::to_string(i) + "\":\"\","; };
    expectCheap("metadata", bigHeader(kLarge, "{\"__metadata__\":{", "}", pair), false);
    expectCheap("dimensions",
                bigHeader(kLarge, "{\"a\":{\"shape\":[", "", [](std::string& h, std::size_t) { h += "1,"; }), false);
    expectCheap("depth", std::string(kLarge, '['), false);
    expectCheap("blanks", std::string(kLarge - 2, ' ') + "{}", true);
    expectCheap("a long name", "{\"" + std::string(kLarge - 2, 'n'), false);
    expectCheap("escapes", bigHeader(kLarge, "{\"", "", [](std::string& h, std::size_t) { h += "\\u0061"; }), false);
}

TEST(SafetensorsHostile, AHeaderBeyondTheLimitIsNotEvenRead)
{
    const TestFolder folder;
    writeContent(folder / "f", std::string("\0\0\0\x40\0\0\0\0{", 9));
    std::filesystem::resize_file(folder / "f", std::uintmax_t(8) << 30);
    const Cost cost = costOfOpening(folder / "f");
    EXPECT_FALSE(cost.accepted);
    if (!kSanitized) {
        EXPECT_LT(cost.bytes, 8U << 20);
    }
}

} // namespace
} // namespace unroll::format
