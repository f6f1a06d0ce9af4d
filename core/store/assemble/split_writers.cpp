#include "core/store/assemble/split_writers.hpp"

#include "core/base/format.hpp"
#include "core/base/utf8.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace core {
namespace {

constexpr std::size_t kLeastLaunches = 2;   // of a writer
constexpr double kManyShared = 0.5;         // of a writer's launches have the numbers of another's
constexpr double kNearlyAllOwn = 0.95;      // of a device's linked work is one writer's
constexpr std::uint32_t kSeveralWriters = ~std::uint32_t{0};

class WriterSearch {
public:
    explicit WriterSearch(const Staged& staged) : staged_(staged) {}

    WriterSplit run() && {
        read_launches();
        if (hosts_.size() < 2) return {};
        std::erase_if(hosts_, [&](NameId host) { return launches_of_[host] < kLeastLaunches; });
        if (hosts_.size() < 2) return {};
        read_gpu_work();
        std::erase_if(hosts_, [&](NameId host) { return linked_of_[host] == 0; });
        if (hosts_.size() < 2 || hosts_.size() > kMostRanksOfFile) return {};
        if (std::optional<RankSplit> split = divide()) return {.split = std::move(split), .refusal = {}};
        return share_numbers() ? WriterSplit{.split = {}, .refusal = explain()} : WriterSplit{};
    }

private:
    const StagedArgument<std::int64_t>& correlations() const {
        return staged_.integers[static_cast<std::size_t>(Arg::Correlation)];
    }
    NameId process_of(std::uint32_t row) const { return staged_.threads[staged_.thread_of_event[row]].pid; }
    Category kind_of(std::uint32_t row) const { return staged_.categories[staged_.events[row].category].kind; }

    bool launches(NameId name) {
        std::int8_t& known = is_launch_[index_of(name)];
        if (known < 0) known = launches_kernels(launch_kind(staged_.pool.text(name))) ? 1 : 0;
        return known == 1;
    }

    void read_launches() {
        is_launch_.assign(staged_.pool.size(), -1);
        for (std::size_t i = 0; i < correlations().rows.size(); ++i) {
            const std::uint32_t row = correlations().rows[i];
            if (!is_launch_category(kind_of(row)) || !launches(staged_.events[row].name)) continue;
            const NameId host = process_of(row);
            if (hosts_.insert(host).second && hosts_.size() > kMostRanksOfFile) return;
            ++launches_of_[host];
            const auto number = static_cast<std::uint32_t>(index_of(host));
            const auto [owner, is_new] = owner_of_.try_emplace(correlations().values[i], number);
            if (is_new || owner->second == number) continue;
            ++shared_;
            owner->second = kSeveralWriters;
        }
    }

    void read_gpu_work() {
        for (std::size_t i = 0; i < correlations().rows.size(); ++i) {
            const std::uint32_t row = correlations().rows[i];
            if (!core::is_gpu_category(kind_of(row))) continue;
            const NameId device = process_of(row);
            ++work_of_device_[device];
            const auto owner = owner_of_.find(correlations().values[i]);
            if (owner == owner_of_.end()) continue;
            if (owner->second == kSeveralWriters) {
                ++undecided_of_[device];
                for (const NameId host : hosts_) ++linked_of_[host];
                continue;
            }
            const NameId host{owner->second};
            ++linked_of_[host];
            ++linked_[{device, host}];
        }
    }

    // Each device whose linked work is nearly all of one writer; nothing if a device has work of several or a writer no
    // device.
    std::optional<RankSplit> divide() const {
        std::map<NameId, NameId> host_of;  // by device
        for (const auto& [device, work] : work_of_device_) {
            std::pair<std::size_t, NameId> most{0, NameId{}};
            std::size_t all = 0;
            if (const auto undecided = undecided_of_.find(device); undecided != undecided_of_.end())
                all += undecided->second;
            for (const NameId host : hosts_) {
                const auto found = linked_.find({device, host});
                const std::size_t own = found == linked_.end() ? 0 : found->second;
                all += own;
                most = std::max(most, {own, host});
            }
            if (all == 0) continue;
            if (static_cast<double>(most.first) < kNearlyAllOwn * static_cast<double>(all)) return std::nullopt;
            host_of[device] = most.second;
        }
        std::set<NameId> with_device;
        for (const auto& [device, host] : host_of) with_device.insert(host);
        if (with_device.size() != hosts_.size()) return std::nullopt;
        return make_split(host_of);
    }

    RankSplit make_split(const std::map<NameId, NameId>& host_of) const {
        std::vector<std::pair<std::int64_t, NameId>> order;  // by the first device of each
        for (const auto& [device, host] : host_of) order.emplace_back(number_of(device), host);
        std::ranges::sort(order);
        std::map<NameId, std::uint32_t> part_of;  // by host
        for (const auto& [device, host] : order) part_of.try_emplace(host, static_cast<std::uint32_t>(part_of.size()));
        RankSplit split;
        for (std::uint32_t part = 0; part < part_of.size(); ++part)
            split.ranks.push_back(static_cast<std::int32_t>(part));
        for (const ThreadKey& thread : staged_.threads) {
            const auto device = host_of.find(thread.pid);
            const auto part = part_of.find(device == host_of.end() ? thread.pid : device->second);
            split.part_of_thread.push_back(part == part_of.end() ? 0 : part->second);
        }
        split.how = "processes that launch work on devices of their own, in the order of these";
        return split;
    }

    std::int64_t number_of(NameId pid) const {
        const std::string_view text = staged_.pool.text(pid);
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }

    // Numbers of launches are unique within a process, so processes that share many were recorded apart.
    bool share_numbers() const {
        std::size_t fewest = ~std::size_t{0};
        for (const NameId host : hosts_) fewest = std::min(fewest, launches_of_.at(host));
        return static_cast<double>(shared_) >= kManyShared * static_cast<double>(fewest);
    }

    std::string explain() const {
        constexpr std::size_t kMostNames = 4, kMostBytes = 32;
        std::string names;
        std::size_t count = 0;
        for (const NameId host : hosts_) {
            if (++count > kMostNames) break;
            names += (names.empty() ? "" : ", ") + shorten_utf8(staged_.pool.text(host), kMostBytes);
        }
        if (hosts_.size() > kMostNames) names += ", ...";
        return "the file holds the traces of " + format_plural(hosts_.size(), "process", "processes") + " (" + names +
               ") whose launches have the same numbers, so nobody can say which GPU work is whose: open the traces "
               "that "
               "it was merged from, in one folder";
    }

    const Staged& staged_;
    std::vector<std::int8_t> is_launch_;  // by name; -1: not looked at
    std::set<NameId> hosts_;
    std::map<NameId, std::size_t> launches_of_, linked_of_, work_of_device_, undecided_of_;
    std::map<std::pair<NameId, NameId>, std::size_t> linked_;  // by device and host
    std::unordered_map<std::int64_t, std::uint32_t> owner_of_;  // by correlation
    std::size_t shared_ = 0;  // numbers
};

}  // namespace

WriterSplit find_writers_in_file(const Staged& staged) { return WriterSearch(staged).run(); }

}  // namespace core
