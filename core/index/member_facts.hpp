#pragma once
// Facts about a collective from the arguments of one kernel and of the calls around its launch.
// Internal to core/index.

#include "core/index/member_events.hpp"

namespace core {

struct MemberFacts {
    MemberEvent member{};
    MemberGroup group;
    RankTime launch{};  // start of the launch call, or of the event where none is known
};

class MemberFactReader {
public:
    explicit MemberFactReader(const RankTrace& trace);
    MemberFacts read(EventId kernel);

private:
    std::optional<std::int64_t> integer(Arg arg) const;
    std::optional<NameId> text_id(Arg arg) const;
    std::optional<std::string_view> text(Arg arg) const;
    void find_sayers(EventId kernel);
    Operation find_operation(EventId kernel) const;
    std::int64_t find_number() const;
    std::int32_t find_root() const;
    void read_bytes(MemberEvent& member) const;
    bool read_shapes(EventId sayer, MemberEvent& member) const;
    bool read_message_size(EventId sayer, MemberEvent& member) const;
    MemberGroup read_group() const;
    std::uint16_t find_step(EventId kernel) const;

    const RankTrace& trace_;
    std::array<SparseColumn<std::int64_t>, kArgCount> integers_{};
    std::array<SparseColumn<NameId>, kArgCount> texts_{};
    std::vector<EventId> sayers_;  // the kernel, then what is around its launch, inner first
};

}  // namespace core
