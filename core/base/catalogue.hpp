#pragma once
// The rows of one of the program's tables: those of one file, in its order. The program cannot change them; a test adds
// a row with AddedRow (tests/core/added_row.hpp), and the row takes part in everything that reads the table until the
// AddedRow ends. Rows keep their addresses meanwhile. Not synchronised: a test adds on the thread that reads.

#include <cstddef>
#include <span>
#include <vector>

namespace core {

namespace testing {
template <class Row>
class AddedRow;
}

template <class Row>
class Catalogue {
public:
    explicit Catalogue(std::span<const Row> rows) {
        rows_.reserve(rows.size() + kRoomForTests);
        rows_.assign(rows.begin(), rows.end());
    }
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    std::span<const Row> rows() const { return rows_; }

private:
    friend class testing::AddedRow<Row>;

    static constexpr std::size_t kRoomForTests = 8;
    mutable std::vector<Row> rows_;  // changed by AddedRow only
};

}  // namespace core
