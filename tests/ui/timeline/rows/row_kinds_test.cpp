#include "core/base/format.hpp"
#include "tests/core/added_row.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"

#include <set>

using namespace ui::testing;
using nlohmann::json;

namespace {

// One row per open rank that says how many events the rank has: as small as a kind of row can be.
class TotalRow final : public ui::RowKind {
public:
    std::string_view id() const override { return "total"; }
    void add_rows(ui::RankRows& rows) const override { rows.add(*this, 1, 0, rows.sizes().lane); }
    std::string format_label(const core::Run& run, const ui::LayoutRow& row) const override {
        return core::format_plural(run.rank(row.slot).trace().size(), "event", "events");
    }
    ui::RowInset inset(const ui::LayoutRow& row) const override { return ui::inset_of_bars(row); }
    void draw_in_tree(ui::TreeRow& r) const override {
        ++drawn;
        r.draw_plain();
    }
    mutable int drawn = 0;
};

json rows_of_kind(DrivenWindow& window, std::string_view kind) {
    json found = json::array();
    for (const json& row : window.at("/timeline/rows")) {
        if (row.at("kind") == kind) found.push_back(row);
    }
    return found;
}

}  // namespace

TEST_CASE("a kind of row in the table takes part in layout, drawing and state, and is gone with its row") {
    const TotalRow total;
    CHECK(ui::find_row_kind("total") == nullptr);
    {
        const core::testing::AddedRow<const ui::RowKind*> added(ui::row_kinds(), &total);
        REQUIRE(ui::find_row_kind("total") == &total);
        SampleWindow window;
        const json rows = rows_of_kind(window, "total");
        REQUIRE_FALSE(rows.empty());
        CHECK(rows[0].at("title").get<std::string>().ends_with(" events"));
        CHECK(total.drawn > 0);
    }
    CHECK(ui::find_row_kind("total") == nullptr);
    SampleWindow window;
    CHECK(rows_of_kind(window, "total").empty());
}

TEST_CASE("kinds of rows have ids of their own, and chips have places of their own") {
    std::set<std::string_view> ids;
    std::set<int> places;
    std::size_t chips = 0;
    for (const ui::RowKind* const kind : ui::row_kinds().rows()) {
        CHECK(ids.insert(kind->id()).second);
        CHECK(ui::find_row_kind(kind->id()) == kind);
        if (kind->chip().name.empty()) continue;
        ++chips;
        places.insert(kind->chip().place);
        CHECK(kind->is_one_per_rank());
    }
    CHECK(places.size() == chips);
    CHECK(ids.contains("rank"));
}
