#pragma once
// A row that a test adds to one of the program's tables for as long as it holds the AddedRow. Those of one table end in
// the reverse order of their making.

#include "core/base/catalogue.hpp"

#include <utility>

namespace core::testing {

template <class Row>
class AddedRow {
public:
    AddedRow(const Catalogue<Row>& catalogue, Row row) : catalogue_(catalogue) {
        catalogue_.rows_.push_back(std::move(row));
    }
    ~AddedRow() { catalogue_.rows_.pop_back(); }
    AddedRow(const AddedRow&) = delete;
    AddedRow& operator=(const AddedRow&) = delete;

private:
    const Catalogue<Row>& catalogue_;
};

}  // namespace core::testing
