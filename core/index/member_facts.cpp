#include "core/index/member_facts.hpp"

#include <algorithm>
#include <charconv>

namespace core {
namespace {

constexpr std::string_view kRecordParams = "record_param_comms";
constexpr int kMostDepth = 256;

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::int64_t> multiply(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    std::int64_t product = 0;
    if (!a || !b || *a < 0 || *b < 0 || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
    return product;
}

// Elements of all tensors in one entry of "Input Dims": "[6144]", or "[[2,3],[4]]" of a list of tensors.
std::optional<std::int64_t> count_elements(std::string_view entry) {
    const std::vector<std::string_view> dims = split_list(entry);
    if (dims.empty()) return 0;
    const bool is_nested = dims.front().starts_with('[');
    std::int64_t sum = is_nested ? 0 : 1;
    for (const std::string_view dim : dims) {
        if (is_nested) {
            const std::optional<std::int64_t> part = dim == "[]" ? 0 : count_elements(dim);
            if (!part || __builtin_add_overflow(sum, *part, &sum)) return std::nullopt;
        } else {
            const std::optional<std::int64_t> product = multiply(sum, parse_whole(dim));
            if (!product) return std::nullopt;
            sum = *product;
        }
    }
    return sum;
}

// Calls of NCCL as its NVTX ranges name them: ncclAllReduce, ncclGroupEnd.
bool is_nccl_call(std::string_view name) {
    return name.size() > 4 && name.starts_with("nccl") && name[4] >= 'A' && name[4] <= 'Z';
}

}  // namespace

MemberFactReader::MemberFactReader(const RankTrace& trace) : trace_(trace) {
    for (std::size_t i = 0; i < kArgCount; ++i) {
        const Arg arg = static_cast<Arg>(i);
        if (type_of(arg) == ArgType::Integer)
            integers_[i] = trace.integers(arg);
        else
            texts_[i] = trace.texts(arg);
    }
}

std::optional<std::int64_t> MemberFactReader::integer(Arg arg) const {
    const SparseColumn<std::int64_t>& column = integers_[static_cast<std::size_t>(arg)];
    if (column.size() == 0) return std::nullopt;
    for (const EventId sayer : sayers_)
        if (const std::int64_t* const found = column.find(sayer)) return *found;
    return std::nullopt;
}

std::optional<NameId> MemberFactReader::text_id(Arg arg) const {
    const SparseColumn<NameId>& column = texts_[static_cast<std::size_t>(arg)];
    if (column.size() == 0) return std::nullopt;
    for (const EventId sayer : sayers_)
        if (const NameId* const found = column.find(sayer)) return *found;
    return std::nullopt;
}

std::optional<std::string_view> MemberFactReader::text(Arg arg) const {
    const std::optional<NameId> id = text_id(arg);
    return id ? std::optional(trace_.text(*id)) : std::nullopt;
}

void MemberFactReader::find_sayers(EventId kernel) {
    sayers_.assign(1, kernel);
    const EventId launch = trace_.parent[index_of(kernel)];
    if (launch == kNoEvent) return;
    EventId at = trace_.parent[index_of(launch)];
    for (int depth = 0; at != kNoEvent && depth < kMostDepth; ++depth, at = trace_.parent[index_of(at)]) {
        const std::string_view name = trace_.name_text(at);
        if (name == kRecordParams || name.starts_with("nccl:") || name.starts_with("rccl:") || is_nccl_call(name))
            sayers_.push_back(at);
    }
}

Operation MemberFactReader::find_operation(EventId kernel) const {
    if (const std::optional<std::string_view> stated = text(Arg::CollectiveName))
        if (const Operation found = parse_operation(*stated); found != Operation::Unknown) return found;
    const std::string_view name = trace_.name_text(kernel);
    if (const Operation found = operation_of_kernel(name); found != Operation::Unknown) return found;
    for (const EventId sayer : std::span(sayers_).subspan(1))
        if (const Operation found = parse_operation(trace_.name_text(sayer)); found != Operation::Unknown) return found;
    return Operation::Unknown;
}

// The root of a broadcast, reduce, gather or scatter, as a rank of its group: what record_param_comms calls its rank.
// Among its inputs it is the second after the number (or, of later writers, after the place of the number).
std::int32_t MemberFactReader::find_root() const {
    std::optional<std::int64_t> root = integer(Arg::GroupRank);
    const auto& inputs = texts_[static_cast<std::size_t>(Arg::ConcreteInputs)];
    const auto& types = texts_[static_cast<std::size_t>(Arg::InputTypes)];
    for (auto sayer = sayers_.begin(); !root && sayer != sayers_.end(); ++sayer) {
        const NameId* const input = inputs.find(*sayer);
        const NameId* const type = types.find(*sayer);
        if (input == nullptr || type == nullptr) continue;
        const std::vector<std::string_view> kinds = split_list(trace_.text(*type));
        const std::vector<std::string_view> values = split_list(trace_.text(*input));
        const std::size_t at = (!kinds.empty() && kinds.front() != "Scalar" ? 1U : 0U) + 2U;
        if (at < kinds.size() && at < values.size() && kinds[at] == "Scalar") root = parse_whole(values[at]);
    }
    return root && *root >= 0 && *root <= INT32_MAX ? static_cast<std::int32_t>(*root) : kNoPeer;
}

// PyTorch up to about 2.4 has the number among the inputs of record_param_comms only.
std::int64_t MemberFactReader::find_number() const {
    if (const std::optional<std::int64_t> stated = integer(Arg::Seq)) return *stated;
    const auto& inputs = texts_[static_cast<std::size_t>(Arg::ConcreteInputs)];
    const auto& types = texts_[static_cast<std::size_t>(Arg::InputTypes)];
    for (const EventId sayer : sayers_) {
        const NameId* const input = inputs.find(sayer);
        const NameId* const type = types.find(sayer);
        if (input == nullptr || type == nullptr) continue;
        const std::vector<std::string_view> kinds = split_list(trace_.text(*type));
        const std::vector<std::string_view> values = split_list(trace_.text(*input));
        const std::size_t at = !kinds.empty() && kinds.front() != "Scalar" ? 1 : 0;
        if (at + 1 >= kinds.size() || at >= values.size()) continue;
        if (kinds[at] != "Scalar" || kinds[at + 1] != "Scalar") continue;
        if (const std::optional<std::int64_t> number = parse_whole(values[at])) return *number;
    }
    return kNoNumber;
}

bool MemberFactReader::read_shapes(EventId sayer, MemberEvent& member) const {
    const NameId* const dims = texts_[static_cast<std::size_t>(Arg::InputDims)].find(sayer);
    const NameId* const types = texts_[static_cast<std::size_t>(Arg::InputTypes)].find(sayer);
    if (dims == nullptr || types == nullptr) return false;
    const std::vector<std::string_view> shapes = split_list(trace_.text(*dims));
    const std::vector<std::string_view> kinds = split_list(trace_.text(*types));
    // The annotation has its tensors only; the record has the output and the numbers of the call behind its input.
    const bool first_only = trace_.name_text(sayer) == kRecordParams;
    std::optional<std::int64_t> bytes = 0;
    for (std::size_t i = 0; i < shapes.size() && bytes; ++i) {
        const std::optional<std::int64_t> elements = count_elements(shapes[i]);
        if (elements == 0) continue;
        if (i >= kinds.size()) return false;
        const std::optional<std::int64_t> part = multiply(elements, element_bytes(kinds[i]));
        std::int64_t sum = 0;
        if (!part || __builtin_add_overflow(*bytes, *part, &sum)) return false;
        bytes = sum;
        if (member.type == 0) member.type = type_code(kinds[i]);
        if (first_only) break;
    }
    if (*bytes == 0) return false;
    member.in_bytes = *bytes;
    return true;
}

void MemberFactReader::read_bytes(MemberEvent& member) const {
    const std::string_view type = text(Arg::CollectiveDtype).value_or("");
    member.type = type_code(type);
    const std::optional<std::int64_t> size = element_bytes(type);
    member.in_bytes = multiply(integer(Arg::InElements), size).value_or(kNoBytes);
    member.out_bytes = multiply(integer(Arg::OutElements), size).value_or(kNoBytes);
    if (member.in_bytes != kNoBytes || integer(Arg::InElements)) return;
    for (const EventId sayer : std::span(sayers_).subspan(1))
        if (read_shapes(sayer, member) || read_message_size(sayer, member)) return;
}

// NCCL states the bytes of one rank: what AllGather sends, what ReduceScatter receives, what AlltoAll sends to each.
bool MemberFactReader::read_message_size(EventId sayer, MemberEvent& member) const {
    if (!is_nccl_call(trace_.name_text(sayer))) return false;
    const std::int64_t* const bytes = integers_[static_cast<std::size_t>(Arg::Bytes)].find(sayer);
    if (bytes == nullptr) return false;
    const std::optional<std::int64_t> all = multiply(*bytes, integer(Arg::GroupSize));
    member.in_bytes = member.out_bytes = *bytes;
    if (member.operation == Operation::AllGather) member.out_bytes = all.value_or(kNoBytes);
    if (member.operation == Operation::ReduceScatter) member.in_bytes = all.value_or(kNoBytes);
    if (member.operation == Operation::AllToAll) member.in_bytes = member.out_bytes = all.value_or(kNoBytes);
    return true;
}

MemberGroup MemberFactReader::read_group() const {
    MemberGroup group;
    group.name = text_id(Arg::GroupName).value_or(kNoName);
    group.description = text_id(Arg::GroupDescription).value_or(kNoName);
    group.ranks = text_id(Arg::GroupRanks).value_or(kNoName);
    group.size = integer(Arg::GroupSize).value_or(kNoNumber);
    group.first = integer(Arg::GroupFirstRank).value_or(kNoNumber);
    group.stride = integer(Arg::GroupStride).value_or(kNoNumber);
    group.local = integer(Arg::GroupId).value_or(kNoNumber);
    return group;
}

std::uint16_t MemberFactReader::find_step(EventId kernel) const {
    const Step* const step = trace_.step_of(kernel);
    const std::ptrdiff_t at = step == nullptr ? kNoStep : step - trace_.steps.data();
    return at < kNoStep ? static_cast<std::uint16_t>(at) : kNoStep;
}

MemberFacts MemberFactReader::read(EventId kernel) {
    find_sayers(kernel);
    MemberFacts facts;
    MemberEvent& member = facts.member;
    member.start = trace_.start[index_of(kernel)];
    member.duration = trace_.duration[index_of(kernel)];
    member.event = kernel;
    member.operation = find_operation(kernel);
    member.number = find_number();
    member.comms_id = static_cast<std::uint64_t>(integer(Arg::CommsId).value_or(0));
    member.step = find_step(kernel);
    member.parts = 1;
    member.group = kNoGroup;
    member.peer = kNoPeer;
    const Arg peer = member.operation == Operation::Send ? Arg::DestinationRank : Arg::SourceRank;
    if (is_pairwise(member.operation))
        member.peer = static_cast<std::int32_t>(std::clamp<std::int64_t>(integer(peer).value_or(-1), -1, INT32_MAX));
    if (has_root(member.operation)) member.peer = find_root();
    read_bytes(member);
    facts.group = read_group();
    const EventId launch = trace_.parent[index_of(kernel)];
    member.launched = launch != kNoEvent ? 1 : 0;
    facts.launch = launch == kNoEvent ? member.start : trace_.start[index_of(launch)];
    return facts;
}

}  // namespace core
