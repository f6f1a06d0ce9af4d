#include "ui/remote/strip_encoder.hpp"

#include "core/base/checksum.hpp"

#include <algorithm>

namespace ui::remote {
namespace {

constexpr int kMostShift = 240;    // columns; a pan of more is a new picture
constexpr std::size_t kSampledRows = 6;
constexpr std::size_t kSampledColumns = 64;

// Whether column x of a row has the colour of an earlier row that moved `shift` columns to the right.
bool matches(std::span<const std::uint32_t> row, std::span<const std::uint32_t> earlier, int shift, std::size_t x) {
    const auto from = static_cast<std::ptrdiff_t>(x) - shift;
    return from >= 0 && from < static_cast<std::ptrdiff_t>(earlier.size()) &&
           row[x] == earlier[static_cast<std::size_t>(from)];
}

std::size_t count_different(std::span<const std::uint32_t> row, std::span<const std::uint32_t> earlier, int shift,
                            std::size_t stop_at) {
    std::size_t different = 0;
    for (std::size_t x = 0; x < row.size() && different < stop_at; ++x) different += !matches(row, earlier, shift, x);
    return different;
}

bool is_plain(std::span<const std::uint32_t> row) {
    return std::ranges::all_of(row, [&](std::uint32_t pixel) { return pixel == row.front(); });
}

// Some of the columns at which the row changes its colour, where a wrong shift shows.
std::vector<std::size_t> find_edges(std::span<const std::uint32_t> row) {
    std::vector<std::size_t> edges;
    for (std::size_t x = 1; x < row.size(); ++x)
        if (row[x] != row[x - 1]) edges.push_back(x);
    const std::size_t step = edges.size() / kSampledColumns + 1;
    std::size_t used = 0;
    for (std::size_t i = 0; i < edges.size(); i += step) edges[used++] = edges[i];
    edges.resize(used);
    return edges;
}

std::uint64_t hash_of_row(std::span<const std::uint32_t> row) { return core::checksum(std::as_bytes(row)); }

}  // namespace

StripEncoder::Row StripEncoder::sent(std::size_t row) const {
    const auto width = static_cast<std::size_t>(width_);
    return Row(sent_).subspan(row * width, width);
}

void StripEncoder::note_rows() {
    rows_by_hash_.clear();
    for (std::size_t i = 0; i < rows(); ++i) rows_by_hash_.try_emplace(hash_of_row(sent(i)), i);
}

// The shift under which some rows differ least from their predecessors; 0: none fits. O(shifts) of a few columns.
int StripEncoder::find_shift(std::span<const std::uint32_t> pixels) const {
    struct Sample {
        Row row, earlier;
        std::vector<std::size_t> columns;
    };
    const auto width = static_cast<std::size_t>(width_);
    const std::size_t count = std::min(pixels.size() / width, rows());
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < count; ++i) {
        const Row row = pixels.subspan(i * width, width);
        if (!std::ranges::equal(row, sent(i)) && !is_plain(row)) changed.push_back(i);
    }
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < changed.size(); i += changed.size() / kSampledRows + 1) {
        const Row row = pixels.subspan(changed[i] * width, width);
        samples.push_back({.row = row, .earlier = sent(changed[i]), .columns = find_edges(row)});
    }
    std::size_t columns = 0;
    for (const Sample& sample : samples) columns += sample.columns.size();
    const int most = std::min(kMostShift, width_ - 1);
    std::size_t fewest = columns / 2;  // of more, it is another picture
    int best = 0;
    for (int i = 0; i <= most * 2; ++i) {
        const int shift = i % 2 == 0 ? i / 2 : -(i / 2 + 1);  // 0, -1, 1, -2 …
        std::size_t different = 0;
        for (const Sample& sample : samples)
            for (const std::size_t x : sample.columns) different += !matches(sample.row, sample.earlier, shift, x);
        if (different >= fewest) continue;
        fewest = different;
        best = shift;
    }
    return best;
}

// The row itself before the shift, one that moved as the last row did, or an equal one elsewhere.
StripEncoder::Reference StripEncoder::find_reference(Row row, std::size_t index, int shift) const {
    Reference best{.row = rows(), .different = row.size() / 2};
    const auto look_at = [&](std::int64_t at) {
        if (at < 0 || at >= static_cast<std::int64_t>(rows()) || best.different == 0) return;
        const std::size_t different = count_different(row, sent(static_cast<std::size_t>(at)), shift, best.different);
        if (different < best.different) best = {.row = static_cast<std::size_t>(at), .different = different};
    };
    const auto here = static_cast<std::int64_t>(index);
    look_at(here + scrolled_);
    look_at(here);
    if (shift != 0) return best;
    const auto at = rows_by_hash_.find(hash_of_row(row));
    if (at != rows_by_hash_.end()) look_at(static_cast<std::int64_t>(at->second));
    return best;
}

void StripEncoder::add_repairs(Row row, Row earlier, int shift, WireWriter& out) {
    std::size_t x = 0;
    while (x < row.size()) {
        const std::size_t begin = x;
        while (x < row.size() && matches(row, earlier, shift, x)) ++x;
        out.add_varint(x - begin);
        if (x == row.size()) return;
        const std::size_t fresh = x;
        while (x < row.size() && !matches(row, earlier, shift, x)) ++x;
        out.add_varint(x - fresh);
        fresh_.insert(fresh_.end(), row.begin() + static_cast<std::ptrdiff_t>(fresh),
                      row.begin() + static_cast<std::ptrdiff_t>(x));
    }
}

void StripEncoder::add_pixels(WireWriter& out) const {
    std::vector<std::uint32_t> values;
    std::vector<std::size_t> lengths;
    for (const std::uint32_t pixel : fresh_) {
        if (!values.empty() && values.back() == pixel) {
            ++lengths.back();
        } else {
            values.push_back(pixel);
            lengths.push_back(1);
        }
    }
    out.add_varint(values.size());
    for (const std::size_t length : lengths) out.add_varint(length);
    for (int shift = 0; shift < 32; shift += 8)
        for (const std::uint32_t value : values) out.add_byte(static_cast<std::uint8_t>(value >> shift));
}

void StripEncoder::encode(int width, std::span<const std::uint32_t> pixels, WireWriter& out) {
    if (width != width_) {
        forget();
        width_ = width;
        scrolled_ = 0;
    }
    const auto columns = static_cast<std::size_t>(width);
    const std::size_t count = columns == 0 ? 0 : pixels.size() / columns;
    const int shift = rows() == 0 || count == 0 ? 0 : find_shift(pixels);
    fresh_.clear();
    out.add_signed(shift);
    out.add_varint(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Row row = pixels.subspan(i * columns, columns);
        const Reference reference = find_reference(row, i, shift);
        if (reference.row < rows()) {
            scrolled_ = static_cast<std::int64_t>(reference.row) - static_cast<std::int64_t>(i);
            out.add_byte(1);
            out.add_signed(scrolled_);
            add_repairs(row, sent(reference.row), shift, out);
        } else {
            out.add_byte(0);
            fresh_.insert(fresh_.end(), row.begin(), row.end());
        }
    }
    add_pixels(out);
    sent_.assign(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(count * columns));
    note_rows();
}

}  // namespace ui::remote
