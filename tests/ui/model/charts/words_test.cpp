#include "ui/model/charts/words.hpp"

#include "core/analysis/catalogue/registry.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("ids of causes, kinds and parts are shown in words, names of the trace as they are") {
    const core::Column cause{"cause", core::Unit::Text, core::Role::Key};
    const core::Column kind{"kind", core::Unit::Text, core::Role::Key};
    const core::Column kernel{"kernel", core::Unit::Text, core::Role::Key, core::Facet::Kernel};
    CHECK(ui::words_of_cell(cause, "host_wait") == "host wait");
    CHECK(ui::words_of_cell(kind, "HtoD") == "host to device");
    CHECK(ui::words_of_cell(kind, "__amd_rocclr_copyBuffer") == "__amd_rocclr_copyBuffer");
    CHECK(ui::words_of_cell(kernel, "my_kernel") == "my_kernel");
    CHECK(ui::title_of("exposed_communication") == "Exposed communication");
    CHECK(ui::title_of("busbw") == "Bus bandwidth");
    CHECK(ui::title_of("mfu") == "MFU");
}

TEST_CASE("no title of a column, parameter or table has an underscore or begins with a small letter") {
    const auto check = [](std::string_view id) {
        const std::string title = ui::title_of(id);
        CHECK(title.find('_') == std::string::npos);
        CHECK_FALSE(title.empty());
        CHECK_FALSE((title[0] >= 'a' && title[0] <= 'z'));
    };
    for (const core::Analysis& analysis : core::all_analyses()) {
        for (const core::Column& column : analysis.columns()) check(column.name);
        for (const core::Param& param : analysis.params) check(param.name);
    }
}
