#include "core/diff/operators/align_sequences.hpp"

#include <algorithm>

namespace core {
namespace {

using Items = std::span<const OperatorItem>;
using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
constexpr std::uint32_t kNoEntry = 0xFFFFFFFFu;
constexpr std::size_t kRowsBetweenChecks = 1024;

std::size_t count_symbols(Items baseline, Items candidate) {
    std::uint32_t most = 0;
    for (const Items side : {baseline, candidate})
        for (const OperatorItem& item : side) most = std::max(most, item.symbol);
    return std::size_t{most} + 1;
}

// Lengths of the longest common subsequences of one sequence with every prefix of another, by the bit-parallel
// recurrence of Hyyro (2004): a row of the table is a bit set whose zeros are the steps of the length.
class PrefixLengths {
public:
    explicit PrefixLengths(std::size_t symbols)
        : first_(symbols, kNoEntry), last_(symbols, kNoEntry), dense_(symbols, kNoEntry) {}

    // By length of the prefix of `columns`, from 0. Both are read backwards if reversed: prefixes are suffixes then.
    // Empty if cancelled.
    std::vector<std::uint32_t> measure(Items rows, Items columns, bool reversed, const JobContext& context) {
        index(columns, reversed);
        row_.assign(columns.size() / kWordBits + 1, ~Word{0});
        bool stopped = false;
        for (std::size_t i = 0; i < rows.size() && !stopped; ++i) {
            add(rows[reversed ? rows.size() - 1 - i : i].symbol);
            stopped = i % kRowsBetweenChecks == 0 && context.cancelled();
        }
        for (const OperatorItem& item : columns)
            first_[item.symbol] = last_[item.symbol] = dense_[item.symbol] = kNoEntry;
        if (stopped) return {};
        std::vector<std::uint32_t> lengths(columns.size() + 1);
        for (std::size_t j = 0; j < columns.size(); ++j)
            lengths[j + 1] = lengths[j] + ((row_[j / kWordBits] >> (j % kWordBits) & 1u) == 0 ? 1u : 0u);
        return lengths;
    }

private:
    struct Entry {  // the columns of one symbol within a word
        std::size_t word;
        Word mask;
        std::uint32_t next;
    };
    static constexpr std::size_t kDense = 8;  // a symbol in more than one of so many words has a mask for every word

    void index(Items columns, bool reversed) {
        entries_.clear();
        masks_.clear();
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const std::uint32_t symbol = columns[reversed ? columns.size() - 1 - j : j].symbol;
            const Word bit = Word{1} << (j % kWordBits);
            if (last_[symbol] != kNoEntry && entries_[last_[symbol]].word == j / kWordBits) {
                entries_[last_[symbol]].mask |= bit;
                continue;
            }
            const auto at = static_cast<std::uint32_t>(entries_.size());
            (last_[symbol] == kNoEntry ? first_[symbol] : entries_[last_[symbol]].next) = at;
            last_[symbol] = at;
            entries_.push_back({.word = j / kWordBits, .mask = bit, .next = kNoEntry});
        }
        widen(columns);
    }
    // Gives frequent symbols a mask for every word: reading on is faster there than skipping.
    void widen(Items columns) {
        const std::size_t words = columns.size() / kWordBits + 1;
        for (const OperatorItem& item : columns) {
            if (last_[item.symbol] == kNoEntry || dense_[item.symbol] != kNoEntry) continue;
            std::size_t count = 0;
            for (std::uint32_t at = first_[item.symbol]; at != kNoEntry; at = entries_[at].next) ++count;
            last_[item.symbol] = kNoEntry;  // seen
            if (count <= words / kDense) continue;
            dense_[item.symbol] = static_cast<std::uint32_t>(masks_.size() / words);
            masks_.resize(masks_.size() + words);
            Word* const masks = masks_.data() + masks_.size() - words;
            for (std::uint32_t at = first_[item.symbol]; at != kNoEntry; at = entries_[at].next)
                masks[entries_[at].word] = entries_[at].mask;
        }
    }

    // V := (V + (V & M)) | (V & ~M)
    void add(std::uint32_t symbol) {
        if (dense_[symbol] == kNoEntry) return add_sparse(symbol);
        const Word* const masks = masks_.data() + dense_[symbol] * row_.size();
        Word carry = 0;
        for (std::size_t word = 0; word < row_.size(); ++word) {
            const Word v = row_[word];
            const Word sum = v + (v & masks[word]);
            const Word whole = sum + carry;
            carry = static_cast<Word>(sum < v) | static_cast<Word>(whole < sum);
            row_[word] = whole | (v & ~masks[word]);
        }
    }
    // The same in words where M has bits or a carry arrives.
    void add_sparse(std::uint32_t symbol) {
        std::size_t word = 0;
        bool carry = false;
        for (std::uint32_t at = first_[symbol]; at != kNoEntry; at = entries_[at].next) {
            const Entry& entry = entries_[at];
            if (carry) carry = spread(word, entry.word);
            Word& v = row_[entry.word];
            const Word sum = v + (v & entry.mask);
            const Word whole = sum + (carry ? 1 : 0);
            carry = sum < v || whole < sum;
            v = whole | (v & ~entry.mask);
            word = entry.word + 1;
        }
        if (carry) spread(word, row_.size());
    }
    // Adds a carry to the words of a range; true if it leaves the range.
    bool spread(std::size_t word, std::size_t end) {
        while (word < end && row_[word] == ~Word{0}) ++word;
        if (word >= end) return true;
        row_[word] |= row_[word] + 1;
        return false;
    }

    std::vector<std::uint32_t> first_, last_;  // by symbol: entries
    std::vector<std::uint32_t> dense_;  // by symbol: which of the masks
    std::vector<Entry> entries_;
    std::vector<Word> masks_;  // by word, of one frequent symbol after another
    std::vector<Word> row_;
};

class Aligner {
public:
    Aligner(Items baseline, Items candidate, const JobContext& context)
        : baseline_(baseline), candidate_(candidate), context_(context), lengths_(count_symbols(baseline, candidate)) {}

    Result<std::vector<MatchedItems>> run() && {
        if (!align({0, baseline_.size(), 0, candidate_.size()})) return cancelled_error();
        return std::move(pairs_);
    }

private:
    struct Block {
        std::size_t b, b_end, c, c_end;
        std::size_t rows() const { return b_end - b; }
        std::size_t columns() const { return c_end - c; }
    };

    void match(std::size_t b, std::size_t c) {
        pairs_.push_back({static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c)});
    }

    // Pairs of a block in order; false if cancelled. Depth: O(log rows).
    bool align(Block block) {
        while (block.rows() > 0 && block.columns() > 0 && baseline_[block.b] == candidate_[block.c])
            match(block.b++, block.c++);
        std::size_t tail = 0;
        while (block.rows() > 0 && block.columns() > 0 && baseline_[block.b_end - 1] == candidate_[block.c_end - 1]) {
            --block.b_end;
            --block.c_end;
            ++tail;
        }
        if (block.rows() > 0 && block.columns() > 0) {
            if (context_.cancelled()) return false;
            if (block.rows() == 1 || block.rows() <= kWeighedPairs / block.columns())
                weigh(block);
            else if (!split(block))
                return false;
        }
        for (std::size_t i = 0; i < tail; ++i) match(block.b_end + i, block.c_end + i);
        return true;
    }

    // At the middle row, where both halves together match most (Hirschberg 1975); of equals nearest to the diagonal.
    bool split(const Block& block) {
        const std::size_t middle = block.b + block.rows() / 2;
        const Items columns = candidate_.subspan(block.c, block.columns());
        const auto above = lengths_.measure(baseline_.subspan(block.b, middle - block.b), columns, false, context_);
        const auto below = lengths_.measure(baseline_.subspan(middle, block.b_end - middle), columns, true, context_);
        if (above.empty() || below.empty()) return false;
        std::size_t best = 0;
        const auto sum = [&](std::size_t j) { return above[j] + below[columns.size() - j]; };
        const auto off = [&](std::size_t j) {
            return j > columns.size() / 2 ? j - columns.size() / 2 : columns.size() / 2 - j;
        };
        for (std::size_t j = 1; j <= columns.size(); ++j)
            if (sum(j) > sum(best) || (sum(j) == sum(best) && off(j) < off(best))) best = j;
        return align({block.b, middle, block.c, block.c + best}) &&
               align({middle, block.b_end, block.c + best, block.c_end});
    }

    // The best pairs by the whole table of suffixes.
    void weigh(const Block& block) {
        enum Move : std::uint8_t { kMatch, kSkipBaseline, kSkipCandidate };
        const std::size_t n = block.rows(), m = block.columns();
        const auto unit = static_cast<std::int32_t>(3 * std::min(n, m) + 1);  // a match outweighs all ties
        std::vector<std::uint8_t> moves(n * m);
        std::vector<std::int32_t> next(m + 1), row(m + 1);
        for (std::size_t i = n; i-- > 0;) {
            const OperatorItem& b = baseline_[block.b + i];
            row[m] = 0;
            for (std::size_t j = m; j-- > 0;) {
                const OperatorItem& c = candidate_[block.c + j];
                const bool skips_candidate = row[j + 1] > next[j];
                std::int32_t best = skips_candidate ? row[j + 1] : next[j];
                Move move = skips_candidate ? kSkipCandidate : kSkipBaseline;
                if (b.symbol == c.symbol) {
                    const std::int32_t matched =
                        next[j + 1] + unit + (b.detail == c.detail ? 2 : 0) + (b.place == c.place ? 1 : 0);
                    if (matched >= best) {
                        best = matched;
                        move = kMatch;
                    }
                }
                row[j] = best;
                moves[i * m + j] = move;
            }
            std::swap(row, next);
        }
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            const std::uint8_t move = moves[i * m + j];
            if (move == kMatch) match(block.b + i, block.c + j);
            i += move == kSkipCandidate ? 0 : 1;
            j += move == kSkipBaseline ? 0 : 1;
        }
    }

    Items baseline_, candidate_;
    const JobContext& context_;
    PrefixLengths lengths_;
    std::vector<MatchedItems> pairs_;
};

}  // namespace

Result<std::vector<MatchedItems>> align_sequences(std::span<const OperatorItem> baseline,
                                                  std::span<const OperatorItem> candidate, const JobContext& context) {
    return Aligner(baseline, candidate, context).run();
}

}  // namespace core
