#include "core/store/assemble/adopt_call_ids.hpp"

#include "core/base/ascii.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>
#include <vector>

namespace core {
namespace {

// PyTorch's category of such calls.
constexpr std::string_view kCallCategory = "xpu_runtime";

// The number behind "id":, in quotes or not.
std::optional<std::int64_t> find_call_id(std::string_view arguments) {
    constexpr std::string_view kKey = "\"id\"";
    const std::size_t key = arguments.find(kKey);
    if (key == std::string_view::npos) return std::nullopt;
    const std::size_t begin = arguments.find_first_not_of(" :\"", key + kKey.size());
    if (begin == std::string_view::npos) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(arguments.data() + begin, arguments.data() + arguments.size(), number);
    return error == std::errc{} && number > 0 ? std::optional(number) : std::nullopt;
}

// zeCommandListAppendLaunchKernel
bool is_level_zero_call(std::string_view name) {
    return name.size() > 2 && name.starts_with("ze") && name[2] >= 'A' && name[2] <= 'Z';
}

enum class Role : std::uint8_t { None, Call, Launch, Work };

class IdAdopter {
public:
    explicit IdAdopter(Staged& staged) : staged_(staged) {}

    void run() {
        find_roles();
        if (launches_ == 0 || work_ == 0) return;
        read_ids();
        const auto linked =
            std::ranges::count_if(ids_, [&](const Id& id) { return id.is_work && launch_ids_.contains(id.number); });
        if (linked == 0 || static_cast<std::size_t>(linked) * 2 < work_) return;
        StagedArgument<std::int64_t>& correlations = staged_.integers[static_cast<std::size_t>(Arg::Correlation)];
        for (const Id& id : ids_) {
            correlations.rows.push_back(id.row);
            correlations.values.push_back(id.number);
        }
        name_calls();
    }

private:
    struct Id {
        std::uint32_t row;
        std::int64_t number;
        bool is_work;
    };

    // By name, as names are few.
    void find_roles() {
        std::vector<std::int8_t> role_of_name(staged_.pool.size(), -1);
        roles_.assign(staged_.events.size(), Role::None);
        for (std::size_t row = 0; row < staged_.events.size(); ++row) {
            const StagedEvent& event = staged_.events[row];
            if (!becomes_event(event.phase) || (event.flags & kInstant) != 0) continue;
            if (is_gpu_category(staged_.categories[event.category].kind)) {
                roles_[row] = Role::Work;
                ++work_;
                continue;
            }
            std::int8_t& known = role_of_name[index_of(event.name)];
            if (known < 0) {
                const std::string_view name = staged_.pool.text(event.name);
                const Role role = !is_level_zero_call(name)               ? Role::None
                                  : launch_kind(name) != LaunchKind::None ? Role::Launch
                                                                          : Role::Call;
                known = static_cast<std::int8_t>(role);
            }
            roles_[row] = static_cast<Role>(known);
            if (roles_[row] == Role::Launch) ++launches_;
        }
    }

    void read_ids() {
        RecentTexts texts(staged_.text_store.blocks(), staged_.text_store.packed());
        for (std::uint32_t row = 0; row < staged_.events.size(); ++row) {
            if (roles_[row] != Role::Launch && roles_[row] != Role::Work) continue;
            const Result<EventText> text = texts.find(staged_.events[row].order);
            const std::optional<std::int64_t> number = text ? find_call_id(text->arguments) : std::nullopt;
            if (!number) continue;
            const bool is_work = roles_[row] == Role::Work;
            ids_.push_back({row, *number, is_work});
            if (!is_work) launch_ids_.insert(*number);
        }
    }

    void name_calls() {
        const NameId text = staged_.pool.intern(kCallCategory);
        const auto known = std::ranges::find(staged_.categories, text, &CategoryEntry::text);
        const auto at = static_cast<std::uint16_t>(known - staged_.categories.begin());
        if (known == staged_.categories.end()) {
            if (staged_.categories.size() >= UINT16_MAX) return;
            staged_.categories.push_back({text, category_of(kCallCategory)});
        }
        for (std::size_t row = 0; row < staged_.events.size(); ++row)
            if (roles_[row] == Role::Launch || roles_[row] == Role::Call) staged_.events[row].category = at;
    }

    Staged& staged_;
    std::vector<Role> roles_;  // by row
    std::size_t launches_ = 0, work_ = 0;
    std::vector<Id> ids_;  // by row
    std::unordered_set<std::int64_t> launch_ids_;
};

}  // namespace

void adopt_call_ids(Staged& staged) {
    if (staged.integers[static_cast<std::size_t>(Arg::Correlation)].rows.empty()) IdAdopter(staged).run();
}

}  // namespace core
