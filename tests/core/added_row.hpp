#pragma once
// A table of the program with one more row, which stands in for the program's own for as long as a test holds the
// AddedRow. Several of one table add up, and end in the reverse order of their making. The rows are copies: a pointer
// to a row is not one to the same row of the other table.

#include "core/base/catalogue.hpp"

#include <span>
#include <utility>
#include <vector>

namespace core::testing {

template <class Row>
class AddedRow {
public:
    AddedRow(const Catalogue<Row>& catalogue, Row row)
        : before_(Catalogue<Row>::of_test_), rows_(catalogue.rows().begin(), catalogue.rows().end()) {
        rows_.push_back(std::move(row));
        Catalogue<Row>::of_test_ = rows_;
    }
    ~AddedRow() { Catalogue<Row>::of_test_ = before_; }
    AddedRow(const AddedRow&) = delete;
    AddedRow& operator=(const AddedRow&) = delete;

private:
    std::span<const Row> before_;
    std::vector<Row> rows_;
};

}  // namespace core::testing
