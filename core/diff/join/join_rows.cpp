#include "core/diff/join/join_rows.hpp"

#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace core {
namespace {

// Kind of a key cell, the first byte of its text.
enum class Kind : char { Absent, Integer, Number, Text, Unpaired, OfOperator, ByHand };

std::string encoded(Kind kind, std::int64_t value) {
    std::string text(1, static_cast<char>(kind));
    for (int shift = 0; shift < 64; shift += 8)
        text += static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xFFu);
    return text;
}

// Maps the candidate's numbers to the baseline's if they pair by order.
class KeyTranslation {
public:
    explicit KeyTranslation(const RunAlignment& alignment)
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

std::size_t find_name_key(const Table& table, const std::vector<std::size_t>& keys, Facet facet) {
    const auto it = std::ranges::find_if(
        keys, [&](std::size_t c) { return is_name(table.columns()[c]) && table.columns()[c].facet == facet; });
    return it == keys.end() ? table.columns().size() : *it;
}

class Joiner {
public:
    Joiner(const BySide<const Table*>& tables, const RunAlignment& alignment, const NamePairing& names)
        : tables_(tables),
          translation_(alignment),
          names_(names),
          keys_(key_columns(*tables.baseline)),
          operator_(find_name_key(*tables.baseline, keys_, Facet::Operator)),
          kernel_(find_name_key(*tables.baseline, keys_, Facet::Kernel)),
          values_(keys_.size()) {}

    void add(Side side) {
        for (std::size_t row = 0; row < tables_[side]->rows(); ++row) {
            const std::size_t group = index_of(groups_.intern(key_of(side, row)));
            if (group >= groups_of_rows_.size()) groups_of_rows_.resize(group + 1);
            groups_of_rows_[group].rows[side].push_back(row);
            groups_of_rows_[group].by_hand |= is_by_hand(side, row);
        }
    }
    JoinedRows finish() && {
        JoinedRows joined;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (values_[i].disjoint()) joined.disjoint_keys.push_back(keys_[i]);
        }
        for (Group& group : groups_of_rows_) {
            if (group.rows.baseline.empty() && group.rows.candidate.empty()) continue;
            if (group.by_hand || merges())
                joined.rows.push_back(std::move(group.rows));
            else
                split(group.rows, joined.rows);
        }
        return joined;
    }

private:
    struct Group {
        BySide<std::vector<std::size_t>> rows;
        bool by_hand = false;
    };

    const Column& about(std::size_t column) const { return tables_.baseline->columns()[column]; }
    std::size_t no_column() const { return tables_.baseline->columns().size(); }
    bool merges() const {
        if (names_.matching() == NameMatching::Operator) return joins_by_operator();
        return names_.matching() == NameMatching::Normalised &&
               std::ranges::any_of(keys_, [&](std::size_t c) { return is_name(about(c)); });
    }
    bool joins_by_operator() const {
        return names_.matching() == NameMatching::Operator && operator_ != no_column() && kernel_ != no_column();
    }
    bool is_by_hand(Side side, std::size_t row, std::size_t column) const {
        return is_name(about(column)) && !tables_[side]->absent(row, column) &&
               names_.is_by_hand(side, tables_[side]->text(row, column));
    }
    bool is_by_hand(Side side, std::size_t row) const {
        return std::ranges::any_of(keys_, [&](std::size_t c) { return is_by_hand(side, row, c); });
    }
    bool has_operator(Side side, std::size_t row) const {
        return !tables_[side]->absent(row, operator_) && tables_[side]->text(row, operator_) != kUnattributed;
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
        if (table.absent(row, column)) return std::string(1, static_cast<char>(Kind::Absent));
        if (is_integer(about(column).unit)) return translation_.key_of(about(column), side, table.integer(row, column));
        if (about(column).unit != Unit::Text)
            return encoded(Kind::Number, std::bit_cast<std::int64_t>(table.number(row, column)));
        const std::string text(table.text(row, column));
        if (!is_name(about(column))) return static_cast<char>(Kind::Text) + text;
        if (joins_by_operator() && !is_by_hand(side, row, column)) {
            // A manual pair of kernels applies under any operator.
            if (column == operator_ && is_by_hand(side, row, kernel_))
                return std::string(1, static_cast<char>(Kind::ByHand));
            if (column == kernel_ && has_operator(side, row))
                return std::string(1, static_cast<char>(Kind::OfOperator));
        }
        return static_cast<char>(Kind::Text) + names_.key(side, text);
    }

    BySide<const Table*> tables_;
    KeyTranslation translation_;
    const NamePairing& names_;
    std::vector<std::size_t> keys_;
    std::size_t operator_;
    std::size_t kernel_;
    std::vector<KeyValues> values_;
    StringPool groups_;  // id 0, the empty text, isn't a group
    std::vector<Group> groups_of_rows_;
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
    const bool has_names =
        column.facet == Facet::Kernel || column.facet == Facet::Operator || column.facet == Facet::Annotation;
    return column.unit == Unit::Text && column.role == Role::Key && has_names;
}

JoinedRows join_rows(const BySide<const Table*>& tables, const RunAlignment& alignment, const NamePairing& names) {
    Joiner joiner(tables, alignment, names);
    for (const Side side : kSides) joiner.add(side);
    return std::move(joiner).finish();
}

}  // namespace core
