#include "core/export/perfetto/tar_writer.hpp"

#include "core/base/format.hpp"

#include <array>
#include <cassert>
#include <numeric>
#include <string>

namespace core {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kMostOctal = (std::uint64_t{1} << 33) - 1;  // eleven octal digits

// Fields of a header, by their place in the block.
struct Field {
    std::size_t begin, length;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12};
constexpr Field kChecksum{148, 8}, kType{156, 1}, kMagic{257, 8};

using Block = std::array<char, kBlock>;

void put(Block& block, Field field, std::string_view text) {
    std::ranges::copy(text.substr(0, field.length), block.begin() + static_cast<std::ptrdiff_t>(field.begin));
}

// Octal digits, as many as fit before a terminating zero.
void put_number(Block& block, Field field, std::uint64_t value) {
    std::string digits(field.length - 1, '0');
    for (std::size_t i = digits.size(); i-- > 0; value >>= 3) digits[i] = static_cast<char>('0' + (value & 7));
    put(block, field, digits);
}

// Larger sizes than octal digits can say are binary, with the first bit set: readers of GNU and POSIX archives know it.
void put_size(Block& block, std::uint64_t size) {
    if (size <= kMostOctal) return put_number(block, kSize, size);
    for (std::size_t i = 0; i < 8; ++i, size >>= 8)
        block[kSize.begin + kSize.length - 1 - i] = static_cast<char>(size & 0xFF);
    block[kSize.begin] = static_cast<char>(0x80);
}

}  // namespace

void TarWriter::begin_member(std::string_view name, std::uint64_t size) {
    assert(name.size() < kName.length && "the name of a member fits its header");
    Block block{};
    put(block, kName, name);
    put_number(block, kMode, 0644);
    put_number(block, kOwner, 0);
    put_number(block, kGroup, 0);
    put_size(block, size);
    put_number(block, kTime, 0);
    put(block, kType, "0");
    put(block, kMagic, std::string_view("ustar\00000", 8));
    // The checksum counts its own field as spaces.
    put(block, kChecksum, "        ");
    const auto add = [](std::uint64_t sum, char c) { return sum + static_cast<unsigned char>(c); };
    const std::uint64_t sum = std::accumulate(block.begin(), block.end(), std::uint64_t{0}, add);
    put_number(block, {kChecksum.begin, kChecksum.length - 1}, sum);
    block[kChecksum.begin + 6] = '\0';
    file_.write({block.data(), block.size()});
    size_ = size;
}

void TarWriter::end_member() {
    const std::string padding((kBlock - size_ % kBlock) % kBlock, '\0');
    file_.write(padding);
}

void TarWriter::finish() { file_.write(std::string(2 * kBlock, '\0')); }

}  // namespace core
