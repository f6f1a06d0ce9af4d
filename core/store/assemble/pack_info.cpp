#include "core/store/assemble/pack_info.hpp"

#include <concepts>
#include <cstring>

namespace core {
namespace {

class Packer {
public:
    void pass(std::integral auto& value) { put(&value, sizeof value); }
    void pass(const std::string& text) {
        count(text.size());
        put(text.data(), text.size());
    }
    std::uint64_t count(std::uint64_t size) {
        pass(size);
        return size;
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void put(const void* from, std::size_t size) {
        const auto* const begin = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), begin, begin + size);
    }
    std::vector<std::byte> bytes_;
};

// After the first malformed field every result is empty and ok() is false.
class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
    void pass(std::integral auto& value) {
        value = 0;
        if (!have(sizeof value)) return;
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_ = bytes_.subspan(sizeof value);
    }
    void pass(std::string& text) {
        const std::uint64_t size = count(0);
        text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
        bytes_ = bytes_.subspan(size);
    }
    // Counts of things that take at least one byte each: a forged count cannot allocate much.
    std::uint64_t count(std::uint64_t) {
        std::uint64_t size = 0;
        pass(size);
        return have(size) ? size : 0;
    }
    void fail() { ok_ = false; }
    // Bounds what a few bytes of one file can expand to; false: the bound is used up.
    bool spend(std::size_t ranks) {
        const bool enough = ranks <= ranks_left_;
        ranks_left_ -= enough ? ranks : ranks_left_;
        return enough;
    }
    bool ok() const { return ok_; }
    bool at_end() const { return bytes_.empty(); }

private:
    bool have(std::uint64_t size) {
        ok_ = ok_ && size <= bytes_.size();
        return ok_;
    }
    std::span<const std::byte> bytes_;
    std::size_t ranks_left_ = std::size_t{1} << 22;
    bool ok_ = true;
};

// One list of fields in file order serves packing and unpacking; Value is const when packing.

void pass_optional(Packer& to, const std::optional<int>& value) {
    const std::uint8_t there = value ? 1 : 0;
    const std::int32_t number = value.value_or(0);
    to.pass(there);
    to.pass(number);
}
void pass_optional(Unpacker& from, std::optional<int>& value) {
    std::uint8_t there = 0;
    std::int32_t number = 0;
    from.pass(there);
    from.pass(number);
    value = there != 0 ? std::optional<int>(number) : std::nullopt;
}

template <class T, class Each>
void pass_list(Packer& to, const std::vector<T>& values, Each each) {
    to.count(values.size());
    for (const T& value : values) each(value);
}
template <class T, class Each>
void pass_list(Unpacker& from, std::vector<T>& values, Each each) {
    values.clear();
    for (std::uint64_t left = from.count(0); left > 0 && from.ok(); --left) each(values.emplace_back());
}

void pass_ranks(Packer& to, const RankList& ranks) {
    const std::vector<RankStretch> stretches = ranks.stretches();
    to.count(stretches.size());
    for (const RankStretch& stretch : stretches) {
        to.pass(stretch.first);
        to.pass(stretch.step);
        to.pass(stretch.count);
    }
}
void pass_ranks(Unpacker& from, RankList& ranks) {
    std::vector<RankStretch> stretches;
    for (std::uint64_t left = from.count(0); left > 0 && from.ok(); --left) {
        RankStretch& stretch = stretches.emplace_back();
        from.pass(stretch.first);
        from.pass(stretch.step);
        from.pass(stretch.count);
    }
    std::optional<RankList> list = RankList::of(std::move(stretches));
    if (!list || !from.spend(list->size())) return from.fail();
    ranks = *std::move(list);
}

void pass_map(Packer& to, const std::map<std::string, std::string>& texts) {
    to.count(texts.size());
    for (const auto& [key, value] : texts) {
        to.pass(key);
        to.pass(value);
    }
}
void pass_map(Unpacker& from, std::map<std::string, std::string>& texts) {
    texts.clear();
    for (std::uint64_t left = from.count(0); left > 0 && from.ok(); --left) {
        std::string key;
        from.pass(key);
        from.pass(texts[key]);
    }
}

template <class Archive, class Facts>
void pass_nccl(Archive& archive, Facts& facts) {
    archive.pass(facts.version);
    archive.pass(facts.process);
    pass_list(archive, facts.communicators, [&](auto& one) {
        archive.pass(one.id);
        archive.pass(one.name);
        archive.pass(one.rank);
        archive.pass(one.size);
        archive.pass(one.device);
        archive.pass(one.bus);
        archive.pass(one.channels);
        archive.pass(one.is_complete);
    });
    pass_list(archive, facts.calls, [&](auto& calls) {
        archive.pass(calls.communicator);
        archive.pass(calls.operation);
        archive.pass(calls.bytes);
        archive.pass(calls.algorithm);
        archive.pass(calls.protocol);
        archive.pass(calls.first_channel);
        archive.pass(calls.last_channel);
        archive.pass(calls.count);
        archive.pass(calls.timed);
        archive.pass(calls.total_ns);
        archive.pass(calls.shortest_ns);
        archive.pass(calls.longest_ns);
        archive.pass(calls.with_bandwidth);
        archive.pass(calls.bus_bytes_per_s);
        archive.pass(calls.timing);
    });
    pass_list(archive, facts.warnings, [&](auto& warning) {
        archive.pass(warning.time);
        archive.pass(warning.place);
        archive.pass(warning.text);
        archive.pass(warning.count);
    });
}

template <class Archive, class Info>
void pass_info(Archive& archive, Info& info) {
    pass_optional(archive, info.rank);
    pass_optional(archive, info.world_size);
    archive.pass(info.backend);
    archive.pass(info.host);
    archive.pass(info.trace_name);
    archive.pass(info.step_marks);
    pass_list(archive, info.groups, [&](auto& group) {
        archive.pass(group.name);
        archive.pass(group.description);
        archive.pass(group.backend);
        archive.pass(group.size);
        pass_ranks(archive, group.ranks);
    });
    pass_list(archive, info.devices, [&](auto& device) {
        archive.pass(device.id);
        archive.pass(device.name);
        archive.pass(device.memory_bytes);
    });
    pass_map(archive, info.environment);
    pass_nccl(archive, info.nccl);
    pass_list(archive, info.training, [&](auto& logged) {
        for (auto* const field :
             {&logged.last, &logged.duration_ns, &logged.flops_per_s, &logged.batch, &logged.skipped, &logged.nan})
            archive.pass(*field);
    });
    archive.pass(info.base_time_ns);
    archive.pass(info.file_bytes);
    archive.pass(info.json_bytes);
    auto& records = info.records;
    for (auto* const count : {&records.total, &records.complete, &records.paired, &records.instants, &records.counters,
                              &records.flows, &records.metadata, &records.dropped})
        archive.pass(*count);
}

}  // namespace

std::vector<std::byte> pack_info(const RankInfo& info, const Diagnostics& diagnostics) {
    Packer packer;
    packer.pass(info.path.native());
    pass_info(packer, info);
    packer.count(diagnostics.entries().size());
    for (const Diagnostic& entry : diagnostics.entries()) {
        packer.pass(std::string(entry.kind->id));
        packer.pass(entry.count);
        packer.pass(entry.first);
    }
    return packer.take();
}

bool unpack_info(std::span<const std::byte> bytes, RankInfo& info, Diagnostics& diagnostics) {
    Unpacker unpacker(bytes);
    std::string path;
    unpacker.pass(path);
    info.path = path;
    pass_info(unpacker, info);
    for (std::uint64_t left = unpacker.count(0); left > 0 && unpacker.ok(); --left) {
        std::string kind, first;
        std::uint64_t count = 0;
        unpacker.pass(kind);
        unpacker.pass(count);
        unpacker.pass(first);
        if (!find_diagnostic_kind(kind)) return false;
        diagnostics.add(kind, first, count);
    }
    return unpacker.ok() && unpacker.at_end();
}

}  // namespace core
