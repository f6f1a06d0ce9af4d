#pragma once
// The rows of one of the program's tables: those of one file, in its order. Nothing changes them. A test builds a table
// of its own with AddedRow (tests/core/added_row.hpp), which is read instead of this one until the AddedRow ends. Not
// synchronised: a test adds on the thread that reads.

#include <span>

namespace core {

namespace testing {
template <class Row>
class AddedRow;
}

// rows: not copied, so of static storage. There is one catalogue for each type of row.
template <class Row>
class Catalogue {
public:
    constexpr explicit Catalogue(std::span<const Row> rows) : rows_(rows) {}
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    std::span<const Row> rows() const { return of_test_.data() ? of_test_ : rows_; }

private:
    friend class testing::AddedRow<Row>;

    std::span<const Row> rows_;
    static inline std::span<const Row> of_test_;  // owned by an AddedRow
};

}  // namespace core
