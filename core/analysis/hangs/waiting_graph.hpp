#pragma once
// Graph of ranks that wait for ranks. An end is a rank that others wait for and that waits for nobody; ranks that wait
// for each other in a circle, and for nobody outside it, are one end. O(ranks + waits).

#include <cstddef>
#include <vector>

namespace core::hangs {

class WaitingGraph {
public:
    explicit WaitingGraph(std::size_t ranks) : waits_for_(ranks), circle_(ranks, 0) {}
    void add(std::size_t waits, std::size_t for_whom) { waits_for_[waits].push_back(for_whom); }
    void close();                         // after the last add
    bool is_end(std::size_t rank) const;   // after close

private:
    std::vector<std::vector<std::size_t>> waits_for_;
    std::vector<std::size_t> circle_;  // number of the circle of each rank
    std::vector<bool> leaves_;         // whether a rank of this circle waits for one outside
};

}  // namespace core::hangs
