#pragma once
// The rows of one of the program's tables: those of one file, in its order. A test adds a row for as long as it holds
// an Addition, and the row takes part in everything that reads the table. Rows keep their addresses until an Addition
// ends. Not synchronised: the table is read on the thread that adds.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace core {

template <class Row>
class Catalogue {
public:
    explicit Catalogue(std::span<const Row> rows) {
        rows_.reserve(rows.size() + kRoomForAdditions);
        rows_.assign(rows.begin(), rows.end());
    }
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    std::span<const Row> rows() const { return rows_; }

    class Addition {
    public:
        Addition(Catalogue& catalogue, Row row) : catalogue_(catalogue) { catalogue_.rows_.push_back(std::move(row)); }
        ~Addition() { catalogue_.rows_.pop_back(); }
        Addition(const Addition&) = delete;
        Addition& operator=(const Addition&) = delete;

    private:
        Catalogue& catalogue_;
    };

private:
    static constexpr std::size_t kRoomForAdditions = 8;
    std::vector<Row> rows_;
};

}  // namespace core
