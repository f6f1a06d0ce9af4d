#pragma once
// Kept answers as a run summary has them: how many there are, then the id, schema and size of each, then all of them in
// this order, packed. So one can see whether there is one without unpacking.

#include "core/analysis/engine/analysis.hpp"
#include "core/cluster/byte_codec.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace core {

struct KeptAnswer {
    std::uint64_t schema = 0;
    std::uint64_t offset = 0;  // unpacked
    std::uint64_t size = 0;
    std::uint64_t all = 0;  // bytes, unpacked
    std::string_view packed;

    std::optional<std::string> read() const;  // absent: damaged
};
std::optional<KeptAnswer> find_kept(std::string_view all, std::string_view id);

class KeptWriter {
public:
    void add(std::string_view id, std::uint64_t schema, std::string_view bytes);
    std::size_t size() const { return bytes_.size(); }
    std::string take();

private:
    ByteWriter heads_;
    std::string bytes_;
    std::uint64_t count_ = 0;
};

// One answer, without references to events: they mean nothing without the events.
std::string encode_kept(const Analysis&, const Answer&);
// Fails if it is damaged, or has other tables than the analysis declares.
Result<Answer> decode_kept(const Analysis&, std::string_view bytes);
std::uint64_t schema_of(const Analysis&);  // of the main table
bool has_declared_tables(const Analysis&, const Answer&);  // those after the main table, with their columns

bool is_of_ranks(const FilterTerm&);
// Id of a kept answer; its filter is without ranks, which choose among the kept ones.
std::string key_of(const Analysis&, Filter);
bool is_kept_of_rank(const Analysis&);

}  // namespace core
