#include "core/ingest/nccl/nccl_log.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace core {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::size_t kMostThreads = 65'536;
constexpr std::size_t kMostHandles = 1 << 20;
constexpr std::size_t kMostPending = 1'024;

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == kNone) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The word behind `key`, itself a word: of "comm 0x1 rank 3", "rank" has "3".
std::string_view word_behind(std::string_view text, std::string_view key) {
    for (std::size_t at = text.find(key); at != kNone; at = text.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if ((at > 0 && text[at - 1] != ' ') || end >= text.size() || text[end] != ' ') continue;
        const std::size_t begin = text.find_first_not_of(' ', end);
        if (begin == kNone) return {};
        return text.substr(begin, std::min(text.find(' ', begin), text.size()) - begin);
    }
    return {};
}

std::optional<std::int32_t> small_number(std::string_view text) {
    constexpr std::int64_t kMost = 10'000'000;
    const std::optional<std::int64_t> value = parse_decimal(text);
    if (!value || *value < 0 || *value > kMost) return std::nullopt;
    return static_cast<std::int32_t>(*value);
}

struct Marker {
    std::string_view word;
    bool is_warning = false;
};
constexpr Marker kMarkers[] = {{"NCCL INFO "}, {"NCCL WARN ", true}, {"NCCL TRACE "}};

struct Marked {
    std::size_t begin = kNone, end = kNone;
    bool is_warning = false;
};
Marked find_marker(std::string_view line) {
    const std::size_t at = line.find("NCCL ");
    for (std::size_t from = at; from != kNone; from = line.find("NCCL ", from + 1))
        for (const Marker& marker : kMarkers)
            if (line.substr(from).starts_with(marker.word))
                return {.begin = from, .end = from + marker.word.size(), .is_warning = marker.is_warning};
    return {};
}

// Algorithms and protocols by the numbers of older versions; those that changed their meaning stay numbers.
std::string algorithm_name(std::string_view word) {
    if (word == "0") return "TREE";
    if (word == "1") return "RING";
    return clean_nccl_text(!word.empty() && is_digit(word[0]) ? "algorithm " + std::string(word) : std::string(word));
}
std::string protocol_name(std::string_view word) {
    constexpr std::string_view kNames[] = {"LL", "LL128", "SIMPLE"};
    if (word.size() == 1 && word[0] >= '0' && word[0] <= '2') return std::string(kNames[word[0] - '0']);
    return clean_nccl_text(word);
}

bool is_operation(std::string_view word) {
    return !word.empty() && word.size() <= 32 &&
           std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

bool begins_nccl_log(std::string_view head) {
    for (std::size_t at = 0; at < head.size();) {
        const std::size_t end = std::min(head.find('\n', at), head.size());
        const std::string_view line = head.substr(at, end - at);
        const Marked marked = find_marker(line);
        at = end + 1;
        if (marked.begin == kNone) continue;
        const std::string_view text = line.substr(marked.end);
        if (marked.is_warning || text.find(" nranks ") != kNone || text.find(": opCount ") != kNone ||
            text.find(" Bytes -> Algo ") != kNone)
            return true;
    }
    return false;
}

std::string_view NcclLog::nothing_found() const {
    return "a log of NCCL that names no communicator: run with NCCL_DEBUG=INFO and "
           "NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING, and keep the log from its start";
}

// "[time] host:pid:thread [device] place"
std::optional<NcclLog::Prefix> NcclLog::parse_prefix(std::string_view before) {
    Prefix prefix;
    // The last "[digits]": a place behind it has none.
    for (std::size_t close = before.rfind(']'); close != kNone && close > 0; close = before.rfind(']', close - 1)) {
        const std::size_t open = before.rfind('[', close);
        if (open == kNone) return std::nullopt;
        const std::optional<std::int32_t> device = small_number(before.substr(open + 1, close - open - 1));
        const std::string_view front = trim(before.substr(0, open));
        const std::size_t blank = front.find_last_of(" \t");
        const std::string_view token = blank == kNone ? front : front.substr(blank + 1);
        const std::size_t second = token.rfind(':');
        const std::size_t first = second == kNone || second == 0 ? kNone : token.rfind(':', second - 1);
        if (device && first != kNone && first > 0) {
            const auto process = parse_decimal(token.substr(first + 1, second - first - 1));
            const auto thread = parse_decimal(token.substr(second + 1));
            if (process && thread && *process >= 0) {
                prefix.device = *device;
                prefix.process = *process;
                prefix.thread = *thread;
                prefix.host = token.substr(0, first);
                prefix.place = trim(before.substr(close + 1));
                const std::string_view rest = blank == kNone ? std::string_view() : trim(front.substr(0, blank));
                const std::size_t bracket = rest.ends_with(']') ? rest.rfind('[') : kNone;
                if (bracket != kNone) prefix.time = rest.substr(bracket + 1, rest.size() - bracket - 2);
                return prefix;
            }
        }
        if (close == 0) break;
    }
    return std::nullopt;
}

// Other output of the job may run into a line: "0.75node1:7:7" is node1 if process 7 is known to be there.
NcclLog::ProcessKey NcclLog::process_of(const Prefix& prefix) {
    constexpr std::size_t kMostHosts = 4'096;
    std::vector<std::string>& known = hosts_[prefix.process];
    for (const std::string& host : known) {
        if (!prefix.host.ends_with(host)) continue;
        const std::string_view before = prefix.host.substr(0, prefix.host.size() - host.size());
        if (before.find_first_not_of("0123456789.+-") == kNone) return {host, prefix.process};
    }
    std::string host = clean_nccl_text(prefix.host);
    if (known.size() < kMostHosts) known.push_back(host);
    return {std::move(host), prefix.process};
}

NcclMember* NcclLog::member_on(const ProcessKey& process, std::int32_t device) {
    const auto known = by_device_.find({process, device});
    if (known != by_device_.end()) return known->second;
    NcclMember* const member = add_member(process.first, process.second);
    if (member == nullptr) return nullptr;
    by_device_[{process, device}] = member;
    of_process_[process].push_back(member);
    const auto version = versions_.find(process);
    if (version != versions_.end()) member->facts.version = version->second;
    return member;
}

// For lines that name no communicator.
NcclMember* NcclLog::any_member(const ProcessKey& process, std::int32_t device) {
    const auto exact = by_device_.find({process, device});
    if (exact != by_device_.end()) return exact->second;
    const auto known = of_process_.find(process);
    return known != of_process_.end() ? known->second.front() : member_on(process, device);
}

NcclLog::Thread* NcclLog::thread_of(const ProcessKey& process, std::int64_t thread) {
    const auto known = threads_.find({process, thread});
    if (known != threads_.end()) return &known->second;
    return threads_.size() < kMostThreads ? &threads_[{process, thread}] : nullptr;
}

void NcclLog::add(std::string_view line, std::uint64_t number, bool whole) {
    const Marked marked = find_marker(line);
    if (marked.begin == kNone) return;  // the program's own output
    const std::optional<Prefix> prefix = parse_prefix(line.substr(0, marked.begin));
    if (!prefix) return drop("nccl-left-out", number, "no \"host:process:thread [device]\" before NCCL's text");
    const std::string_view text = trim(line.substr(marked.end));
    if (marked.is_warning) {
        NcclMember* const member = any_member(process_of(*prefix), prefix->device);
        if (member != nullptr)
            add_warning(*member, {.time = clean_nccl_text(prefix->time),
                                  .place = clean_nccl_text(prefix->place),
                                  .text = clean_nccl_text(text),
                                  .count = 1});
        return;
    }
    if (!whole) return;  // a part of a number is another number
    if (text.starts_with("NCCL version ")) {
        const ProcessKey process = process_of(*prefix);
        constexpr std::size_t kBehind = std::string_view("NCCL version ").size();
        if (versions_.size() < kMostNcclMembers) versions_[process] = clean_nccl_text(text.substr(kBehind));
        const auto members = of_process_.find(process);
        if (members == of_process_.end()) return;
        for (NcclMember* const member : members->second) member->facts.version = versions_[process];
        return;
    }
    if (!word_behind(text, "nranks").empty() && !word_behind(text, "comm").empty()) return add_start(*prefix, text);
    if (text.find(" coll channels") != kNone) return add_channels(*prefix, text);
    const std::size_t colon = text.find(": ");
    if (colon == kNone || !is_operation(text.substr(0, colon))) return;
    const std::string_view behind = text.substr(colon + 2);
    if (behind.starts_with("opCount ")) return add_call(*prefix, text.substr(0, colon), behind);
    if (behind.find(" Bytes -> Algo ") != kNone) return add_tuning(*prefix, text.substr(0, colon), behind);
}

// "comm 0x… rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 17000 commId 0x… - Init START"
void NcclLog::add_start(const Prefix& prefix, std::string_view text) {
    const auto address = parse_hex(word_behind(text, "comm"));
    const auto rank = small_number(word_behind(text, "rank")), size = small_number(word_behind(text, "nranks"));
    const auto device = small_number(word_behind(text, "cudaDev"));
    if (!address || !rank || !size || *rank >= *size) return;
    if (text.find("Destroy") != kNone || text.find("Abort") != kNone) return;
    const ProcessKey process = process_of(prefix);
    const std::uint64_t id = parse_hex(word_behind(text, "commId")).value_or(0);
    const bool complete = text.find("COMPLETE") != kNone;
    const auto known = handles_.find({process, *address});
    NcclMember* const member = member_on(process, device.value_or(prefix.device));
    if (member == nullptr || (known == handles_.end() && handles_.size() == kMostHandles))
        return diagnostics().add("nccl-left-out", "more communicators than are kept");
    std::vector<NcclCommunicator>& all = member->facts.communicators;
    std::size_t at = all.size();
    if (known != handles_.end() && known->second.member == member) {
        const NcclCommunicator& old = all[known->second.communicator];
        // The same start-up: of a split communicator only its end names the id.
        if (old.rank == *rank && old.size == *size && (old.id == id || id == 0 || (old.id == 0 && !old.is_complete)))
            at = known->second.communicator;
    }
    if (at == all.size()) {
        if (at == kMostNcclCommunicators) return diagnostics().add("nccl-left-out", "more communicators than are kept");
        all.push_back({.id = 0, .name = {}, .rank = *rank, .size = *size, .bus = {}});
    }
    NcclCommunicator& communicator = all[at];
    if (id != 0) communicator.id = id;
    communicator.device = device.value_or(-1);
    communicator.bus = clean_nccl_text(word_behind(text, "busId"));
    if (complete) communicator.is_complete = 1;
    const Handle handle{.member = member, .communicator = at};
    handles_[{process, *address}] = handle;
    if (Thread* const thread = thread_of(process, prefix.thread)) {
        if (complete)
            thread->started.reset();
        else
            thread->started = handle;
    }
}

// "24 coll channels, 24 collnet channels, …", on the thread that starts a communicator.
void NcclLog::add_channels(const Prefix& prefix, std::string_view text) {
    const auto channels = small_number(text.substr(0, text.find(' ')));
    Thread* const thread = thread_of(process_of(prefix), prefix.thread);
    if (!channels || thread == nullptr || !thread->started) return;
    thread->started->member->facts.communicators[thread->started->communicator].channels = *channels;
}

// "opCount 0 sendbuff 0x… recvbuff 0x… count 2097152 datatype 7 op 0 root 0 comm 0x… [nranks=2] stream 0x…"
void NcclLog::add_call(const Prefix& prefix, std::string_view operation, std::string_view text) {
    const auto address = parse_hex(word_behind(text, "comm"));
    if (!address) return;
    const ProcessKey process = process_of(prefix);
    const auto known = handles_.find({process, *address});
    Thread* const thread = thread_of(process, prefix.thread);
    if (known == handles_.end()) {
        NcclMember* const member = any_member(process, prefix.device);
        if (member != nullptr)
            add_calls(*member,
                      {.operation = std::string(operation), .algorithm = {}, .protocol = {}, .count = 1, .timing = {}});
        return;
    }
    const Handle handle = known->second;
    const NcclCommunicator& communicator = handle.member->facts.communicators[handle.communicator];
    const auto elements = parse_decimal(word_behind(text, "count"));
    const auto element = nccl_element_bytes(word_behind(text, "datatype"));
    const std::optional<std::int64_t> bytes =
        elements && element ? nccl_bytes(operation, *elements, *element, communicator.size) : std::nullopt;
    add_calls(*handle.member, {.communicator = communicator.id,
                               .operation = std::string(operation),
                               .bytes = bytes.value_or(-1),
                               .algorithm = {},
                               .protocol = {},
                               .count = 1,
                               .timing = {}});
    if (thread == nullptr) return;
    if (thread->tuned) thread->calls.clear();
    thread->tuned = false;
    if (thread->calls.size() < kMostPending) thread->calls.emplace_back(operation, handle);
}

// Only rank 0 of a communicator prints what it chose, and without the communicator: that of the thread's calls of the
// operation since the last choices, else the only one of the process.
std::optional<NcclLog::Handle> NcclLog::find_tuned(const ProcessKey& process, Thread* thread,
                                                   std::string_view operation) {
    std::vector<Handle> candidates;
    const auto consider = [&](const Handle& handle) {
        if (handle.member->facts.communicators[handle.communicator].rank != 0) return;
        const bool known = std::ranges::any_of(candidates, [&](const Handle& one) {
            return one.member == handle.member && one.communicator == handle.communicator;
        });
        if (!known) candidates.push_back(handle);
    };
    if (thread != nullptr && !thread->calls.empty()) {
        for (const auto& [called, handle] : thread->calls)
            if (called == operation) consider(handle);
    } else {
        const auto members = of_process_.find(process);
        if (members == of_process_.end()) return std::nullopt;
        for (NcclMember* const member : members->second)
            for (std::size_t i = 0; i < member->facts.communicators.size() && candidates.size() < 2; ++i)
                consider({.member = member, .communicator = i});
    }
    return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
}

// "16777216 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}"
void NcclLog::add_tuning(const Prefix& prefix, std::string_view operation, std::string_view text) {
    const auto bytes = parse_decimal(text.substr(0, text.find(' ')));
    const std::string_view algorithm = word_behind(text, "Algo"), protocol = word_behind(text, "proto");
    if (!bytes || *bytes < 0 || algorithm.empty() || protocol.empty()) return;
    const ProcessKey process = process_of(prefix);
    Thread* const thread = thread_of(process, prefix.thread);
    const std::optional<Handle> handle = find_tuned(process, thread, operation);
    if (thread != nullptr) thread->tuned = true;
    NcclMember* const member = handle ? handle->member : any_member(process, prefix.device);
    if (member == nullptr) return;
    NcclCalls calls{.communicator = handle ? member->facts.communicators[handle->communicator].id : 0,
                    .operation = std::string(operation),
                    .bytes = *bytes,
                    .algorithm = algorithm_name(algorithm),
                    .protocol = protocol_name(protocol),
                    .count = 1,
                    .timing = {}};
    constexpr std::string_view kChannels = "={";
    const std::size_t channels = text.find(kChannels);
    if (channels != kNone) {
        const std::string_view range = text.substr(channels + kChannels.size());
        const std::size_t dots = range.find(".."), close = range.find('}');
        if (dots != kNone && close != kNone && dots < close) {
            calls.first_channel = small_number(range.substr(0, dots)).value_or(-1);
            calls.last_channel = small_number(range.substr(dots + 2, close - dots - 2)).value_or(-1);
        }
    }
    add_calls(*member, calls);
}

}  // namespace core
