#pragma once
// Codes the pixel columns of a scene's strips against those sent before: rows that are equal, or
// moved by the shift of a pan, cost a few bytes; other pixels are sent as runs. Pure; any thread.

#include "ui/remote/wire_bytes.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ui::remote {

class StripEncoder {
public:
    // pixels: rows of `width` RGBA columns. Writes: shift, rows, one entry per row, then the pixels that are new.
    //   row: 0, then runs of new pixels up to `width`; or 1 + zigzag(earlier row - this row), then repairs:
    //   (columns equal to the earlier row, new pixels) until the width is reached
    //   new pixels: runs of equal ones; lengths, then channel by channel
    void encode(int width, std::span<const std::uint32_t> pixels, WireWriter& out);
    void forget() { width_ = 0, sent_.clear(); }

private:
    using Row = std::span<const std::uint32_t>;
    struct Reference {
        std::size_t row = 0;
        std::size_t different = 0;  // columns
    };
    std::size_t rows() const { return width_ > 0 ? sent_.size() / static_cast<std::size_t>(width_) : 0; }
    Row sent(std::size_t row) const;
    int find_shift(std::span<const std::uint32_t> pixels) const;
    void note_rows();
    Reference find_reference(Row row, std::size_t index, int shift) const;
    void add_repairs(Row row, Row earlier, int shift, WireWriter& out);
    void add_pixels(WireWriter& out) const;

    int width_ = 0;
    std::vector<std::uint32_t> sent_;
    std::unordered_map<std::uint64_t, std::size_t> rows_by_hash_;  // of those sent
    std::vector<std::uint32_t> fresh_;  // pixels of this message that no earlier row has
    std::int64_t scrolled_ = 0;         // rows between the last row and its reference
};

}  // namespace ui::remote
