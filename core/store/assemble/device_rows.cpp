#include "core/store/assemble/device_rows.hpp"

#include "core/base/ascii.hpp"
#include "core/base/utf8.hpp"
#include "core/store/assemble/device_names.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

namespace core {
namespace {

constexpr std::string_view kAscendHardware = "Ascend Hardware";
constexpr std::string_view kXlaDevice = "/device:";
constexpr double kNearlyAll = 0.9;

std::optional<std::int64_t> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

// The number behind "step_num":, which some writers quote.
std::optional<std::int64_t> find_step_number(std::string_view arguments) {
    constexpr std::string_view kKey = "\"step_num\"";
    const std::size_t key = arguments.find(kKey);
    if (key == std::string_view::npos) return std::nullopt;
    const std::size_t begin = arguments.find_first_not_of(" :\"", key + kKey.size());
    if (begin == std::string_view::npos) return std::nullopt;
    std::size_t end = begin;
    while (end < arguments.size() && is_digit(arguments[end])) ++end;
    return parse_number(arguments.substr(begin, end - begin));
}

class ShapeSearch {
public:
    explicit ShapeSearch(const Staged& staged) : staged_(staged) {}

    DeviceShape run() && {
        shape_.rows.assign(staged_.threads.size(), DeviceThread::None);
        for (const MetadataRow& row : staged_.metadata) {
            if (row.kind == MetadataKind::ProcessName) process_names_[row.pid] = staged_.pool.text(row.text);
            if (row.kind == MetadataKind::ThreadName) thread_names_[{row.pid, row.tid}] = staged_.pool.text(row.text);
        }
        count_undecided();
        place_by_names();
        if (shape_.threads == 0 && !has_gpu_category()) place_by_events();
        return std::move(shape_);
    }

private:
    // The name, else the number that stands for it.
    std::string_view process_text(NameId pid) const {
        const auto found = process_names_.find(pid);
        return found == process_names_.end() ? staged_.pool.text(pid) : found->second;
    }
    std::string_view thread_text(const ThreadKey& key) const {
        const auto found = thread_names_.find({key.pid, key.tid});
        return found == thread_names_.end() ? staged_.pool.text(key.tid) : found->second;
    }

    bool is_undecided(std::size_t row) const {
        const StagedEvent& event = staged_.events[row];
        return becomes_event(event.phase) && (event.flags & kInstant) == 0 &&
               staged_.categories[event.category].kind == Category::Other;
    }

    bool has_gpu_category() const {
        std::vector<bool> is_gpu;
        for (const CategoryEntry& category : staged_.categories) is_gpu.push_back(is_gpu_category(category.kind));
        return std::ranges::any_of(staged_.events, [&](const StagedEvent& event) { return is_gpu[event.category]; });
    }

    void count_undecided() {
        undecided_.assign(staged_.threads.size(), 0);
        for (std::size_t row = 0; row < staged_.events.size(); ++row)
            if (is_undecided(row)) ++undecided_[staged_.thread_of_event[row]];
    }

    void place(std::size_t thread, std::string_view how) {
        shape_.rows[thread] = DeviceThread::Work;
        if (undecided_[thread] == 0) return;
        if (shape_.threads++ == 0) shape_.how = how;
    }

    static std::string quoted(std::string_view text) {
        constexpr std::size_t kMostBytes = 64;
        return "\"" + shorten_utf8(text, kMostBytes) + "\"";
    }

    void place_by_names() {
        std::map<NameId, std::vector<std::size_t>> threads_of;
        for (std::size_t t = 0; t < staged_.threads.size(); ++t) threads_of[staged_.threads[t].pid].push_back(t);
        for (const auto& [pid, threads] : threads_of) {
            const std::string_view name = process_text(pid);
            if (name == kAscendHardware) {
                for (const std::size_t t : threads) shape_.rows[t] = DeviceThread::Work;
                continue;
            }
            const std::optional<std::int32_t> device = find_device_in_name(name);
            if (!device) continue;
            shape_.devices[pid] = *device;
            place_device(name, threads);
        }
    }

    // Streams are the work where there are any; of a TPU it is the row of XLA's operations.
    void place_device(std::string_view name, const std::vector<std::size_t>& threads) {
        const auto text = [&](std::size_t t) { return thread_text(staged_.threads[t]); };
        const bool any_stream = std::ranges::any_of(threads, [&](std::size_t t) { return names_a_stream(text(t)); });
        const auto is_ops = [&](std::size_t t) { return names_xla_operations(text(t)); };
        const bool any_ops = std::ranges::any_of(threads, is_ops);
        for (const std::size_t t : threads) {
            const bool is_work = any_stream ? names_a_stream(text(t)) : any_ops ? is_ops(t) : !repeats_kernels(text(t));
            if (is_work)
                place(t, "the name of the process " + quoted(name));
            else
                shape_.rows[t] = DeviceThread::Repeat;
        }
    }

    // Threads whose events nearly all name a stream, or nearly all are the ends of arrows from launches.
    void place_by_events() {
        const StagedArgument<std::int64_t>& streams = staged_.integers[static_cast<std::size_t>(Arg::Stream)];
        std::vector<std::size_t> with_stream(staged_.threads.size(), 0);
        for (const std::uint32_t row : streams.rows)
            if (is_undecided(row)) ++with_stream[staged_.thread_of_event[row]];
        const std::vector<std::size_t> launched = count_launched();
        for (std::size_t t = 0; t < staged_.threads.size(); ++t) {
            const double most = kNearlyAll * static_cast<double>(undecided_[t]);
            if (undecided_[t] == 0) continue;
            if (static_cast<double>(with_stream[t]) >= most)
                place(t, "the argument \"stream\" of events");
            else if (static_cast<double>(launched[t]) >= most)
                place(t, "arrows from launches");
        }
    }

    // By thread, the arrows that end there and begin at a launch; 0 where arrows begin as well.
    std::vector<std::size_t> count_launched() const {
        std::vector<std::size_t> launched(staged_.threads.size(), 0);
        std::vector<bool> begins(staged_.threads.size(), false);
        std::vector<bool> launches(staged_.threads.size(), false);
        std::vector<std::int8_t> is_launch(staged_.pool.size(), -1);
        for (std::size_t row = 0; row < staged_.events.size(); ++row) {
            const NameId name = staged_.events[row].name;
            std::int8_t& known = is_launch[index_of(name)];
            if (known < 0) known = launch_kind(staged_.pool.text(name)) != LaunchKind::None ? 1 : 0;
            if (known == 1) launches[staged_.thread_of_event[row]] = true;
        }
        std::unordered_map<std::uint64_t, std::uint32_t> from;  // by id
        for (const StagedFlow& flow : staged_.flows) {
            if (flow.phase != FlowPhase::Start) continue;
            begins[flow.thread] = true;
            from[flow.id] = flow.thread;
        }
        for (const StagedFlow& flow : staged_.flows) {
            if (flow.phase != FlowPhase::End) continue;
            const auto start = from.find(flow.id);
            if (start != from.end() && start->second != flow.thread && launches[start->second]) ++launched[flow.thread];
        }
        for (std::size_t t = 0; t < launched.size(); ++t)
            if (begins[t] || launches[t]) launched[t] = 0;
        return launched;
    }

    const Staged& staged_;
    DeviceShape shape_;
    std::map<NameId, std::string_view> process_names_;
    std::map<std::pair<NameId, NameId>, std::string_view> thread_names_;  // by (pid, tid)
    std::vector<std::size_t> undecided_;  // events by thread that no category decides
};

}  // namespace

DeviceShape find_device_shape(const Staged& staged) { return ShapeSearch(staged).run(); }

std::vector<NumberedStep> find_numbered_steps(const Staged& staged) {
    std::set<NameId> devices;
    std::set<std::pair<NameId, NameId>> step_threads;
    for (const MetadataRow& row : staged.metadata)
        if (row.kind == MetadataKind::ProcessName && staged.pool.text(row.text).starts_with(kXlaDevice))
            devices.insert(row.pid);
    if (devices.empty()) return {};
    for (const MetadataRow& row : staged.metadata)
        if (row.kind == MetadataKind::ThreadName && staged.pool.text(row.text) == "Steps" && devices.contains(row.pid))
            step_threads.emplace(row.pid, row.tid);
    std::vector<bool> has_steps(staged.threads.size(), false), is_host(staged.threads.size(), false);
    for (std::size_t t = 0; t < staged.threads.size(); ++t) {
        has_steps[t] = step_threads.contains({staged.threads[t].pid, staged.threads[t].tid});
        is_host[t] = !devices.contains(staged.threads[t].pid);
    }
    std::vector<NumberedStep> steps;
    for (std::uint32_t row = 0; row < staged.events.size(); ++row) {
        const StagedEvent& event = staged.events[row];
        if (event.phase != Phase::Complete || !has_steps[staged.thread_of_event[row]]) continue;
        if (const auto number = parse_number(staged.pool.text(event.name))) steps.push_back({row, *number});
    }
    if (!steps.empty()) return steps;
    RecentTexts texts(staged.text_store.blocks(), staged.text_store.packed());
    for (std::uint32_t row = 0; row < staged.events.size(); ++row) {
        const StagedEvent& event = staged.events[row];
        if (event.phase != Phase::Complete || !is_host[staged.thread_of_event[row]]) continue;
        const Result<EventText> text = texts.find(event.order);
        const std::optional<std::int64_t> number = text ? find_step_number(text->arguments) : std::nullopt;
        if (number) steps.push_back({row, *number});
    }
    return steps;
}

std::map<NameId, std::uint32_t> group_by_device(const Staged& staged, const DeviceShape& shape) {
    if (shape.devices.size() < 2) return {};
    std::unordered_map<std::uint64_t, NameId> from;  // the process at the begin of an arrow, by its id
    std::set<std::uint64_t> repeated;
    for (const StagedFlow& flow : staged.flows) {
        if (flow.phase != FlowPhase::Start) continue;
        const auto [it, is_new] = from.try_emplace(flow.id, staged.threads[flow.thread].pid);
        if (!is_new && it->second != staged.threads[flow.thread].pid) repeated.insert(flow.id);
    }
    std::map<NameId, std::set<NameId>> devices_of;  // by the host's process
    for (const StagedFlow& flow : staged.flows) {
        const NameId to = staged.threads[flow.thread].pid;
        if (flow.phase != FlowPhase::End || !shape.devices.contains(to) || repeated.contains(flow.id)) continue;
        const auto start = from.find(flow.id);
        if (start != from.end() && !shape.devices.contains(start->second)) devices_of[start->second].insert(to);
    }
    std::map<NameId, NameId> host_of;
    for (const auto& [host, devices] : devices_of) {
        if (devices.size() != 1 || !host_of.emplace(*devices.begin(), host).second) return {};
    }
    if (host_of.size() < 2 || host_of.size() != shape.devices.size()) return {};
    std::vector<std::pair<std::int32_t, NameId>> order;
    for (const auto& [device, host] : host_of) order.emplace_back(shape.devices.at(device), device);
    std::ranges::sort(order);
    std::map<NameId, std::uint32_t> parts;
    for (std::uint32_t i = 0; i < order.size(); ++i) parts[order[i].second] = parts[host_of.at(order[i].second)] = i;
    return parts;
}

}  // namespace core
