#include "core/diff/join_rows.hpp"

#include "core/diff/normalise_name.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace core {
namespace {

// What a key cell is made of, as the first byte of its text.
enum class Kind : char { Absent, Integer, Number, Text, Unpaired };

std::string encoded(Kind kind, std::int64_t value) {
    std::string text(1, static_cast<char>(kind));
    for (int shift = 0; shift < 64; shift += 8)
        text += static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xFFu);
    return text;
}

// The candidate's numbers as the baseline's, where they pair by order.
class Translation {
public:
    explicit Translation(const RunAlignment& alignment)
        : steps_by_number_(alignment.steps_by_number), ranks_by_number_(alignment.ranks_by_number) {
        for (const auto& pair : alignment.steps) steps_.emplace(pair.candidate.number, pair.baseline.number);
        for (const auto& pair : alignment.ranks) ranks_.emplace(pair.candidate.packed(), pair.baseline.packed());
    }
    std::string key_of(const Column& column, Side side, std::int64_t value) const {
        const bool is_step = column.facet == Facet::Step && !steps_by_number_;
        const bool is_rank = column.facet == Facet::Rank && !ranks_by_number_;
        if (side == Side::Baseline || (!is_step && !is_rank)) return encoded(Kind::Integer, value);
        const auto& pairs = is_step ? steps_ : ranks_;
        const auto it = pairs.find(value);
        return it == pairs.end() ? encoded(Kind::Unpaired, value) : encoded(Kind::Integer, it->second);
    }

private:
    bool steps_by_number_;
    bool ranks_by_number_;
    std::map<std::int64_t, std::int64_t> steps_;
    std::map<std::int64_t, std::int64_t> ranks_;
};

// The values of one key column, numbered in order of appearance.
class KeyValues {
public:
    NameId add(Side side, const std::string& value) {
        const NameId id = pool_.intern(value);
        if (index_of(id) >= seen_.size()) seen_.resize(index_of(id) + 1);
        seen_[index_of(id)][side] = true;
        any_[side] = true;
        return id;
    }
    bool disjoint() const {
        if (!any_.baseline || !any_.candidate) return false;
        return std::ranges::none_of(seen_, [](const auto& seen) { return seen.baseline && seen.candidate; });
    }

private:
    StringPool pool_;
    std::vector<BySide<bool>> seen_;
    BySide<bool> any_;
};

class Joiner {
public:
    Joiner(const BySide<const Table*>& tables, const RunAlignment& alignment, NameMatching names)
        : tables_(tables),
          translation_(alignment),
          names_(names),
          keys_(key_columns(*tables.baseline)),
          values_(keys_.size()) {}

    void add(Side side) {
        for (std::size_t row = 0; row < tables_[side]->rows(); ++row) {
            const std::size_t group = index_of(groups_.intern(key_of(side, row)));
            if (group >= rows_.size()) rows_.resize(group + 1);
            rows_[group][side].push_back(row);
        }
    }
    JoinedRows finish() && {
        JoinedRows joined;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (values_[i].disjoint()) joined.disjoint_keys.push_back(keys_[i]);
        }
        for (BySide<std::vector<std::size_t>>& group : rows_) {
            if (group.baseline.empty() && group.candidate.empty()) continue;
            if (merges())
                joined.rows.push_back(std::move(group));
            else
                split(group, joined.rows);
        }
        return joined;
    }

private:
    bool merges() const {
        return names_ == NameMatching::Normalised &&
               std::ranges::any_of(keys_, [&](std::size_t c) { return is_name(tables_.baseline->columns()[c]); });
    }
    static void split(const BySide<std::vector<std::size_t>>& group,
                      std::vector<BySide<std::vector<std::size_t>>>& out) {
        for (std::size_t i = 0; i < std::max(group.baseline.size(), group.candidate.size()); ++i) {
            BySide<std::vector<std::size_t>>& one = out.emplace_back();
            for (const Side side : kSides) {
                if (i < group[side].size()) one[side].push_back(group[side][i]);
            }
        }
    }
    std::string key_of(Side side, std::size_t row) {
        std::string key;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::size_t id = index_of(values_[i].add(side, value_of(side, row, keys_[i])));
            key += encoded(Kind::Integer, static_cast<std::int64_t>(id));
        }
        return key.empty() ? std::string(1, static_cast<char>(Kind::Absent)) : key;
    }
    std::string value_of(Side side, std::size_t row, std::size_t column) const {
        const Table& table = *tables_[side];
        const Column& about = table.columns()[column];
        if (table.absent(row, column)) return std::string(1, static_cast<char>(Kind::Absent));
        if (is_integer(about.unit)) return translation_.key_of(about, side, table.integer(row, column));
        if (about.unit != Unit::Text)
            return encoded(Kind::Number, std::bit_cast<std::int64_t>(table.number(row, column)));
        const std::string_view text = table.text(row, column);
        const bool normalise = names_ == NameMatching::Normalised && is_name(about);
        return static_cast<char>(Kind::Text) + (normalise ? normalise_kernel_name(text) : std::string(text));
    }

    BySide<const Table*> tables_;
    Translation translation_;
    NameMatching names_;
    std::vector<std::size_t> keys_;
    std::vector<KeyValues> values_;
    StringPool groups_;  // id 0, the empty text, is no group
    std::vector<BySide<std::vector<std::size_t>>> rows_;
};

}  // namespace

std::vector<std::size_t> key_columns(const Table& table) {
    std::vector<std::size_t> keys;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (table.columns()[c].role == Role::Key) keys.push_back(c);
    }
    return keys;
}

bool is_name(const Column& column) {
    return column.unit == Unit::Text && (column.facet == Facet::Kernel || column.facet == Facet::Operator);
}

JoinedRows join_rows(const BySide<const Table*>& tables, const RunAlignment& alignment, NameMatching names) {
    Joiner joiner(tables, alignment, names);
    for (const Side side : kSides) joiner.add(side);
    return std::move(joiner).finish();
}

}  // namespace core
