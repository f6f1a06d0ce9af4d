#include "core/export/text_table.hpp"

#include "core/base/terminal_text.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

Table kernel_table() {
    Table table(
        {{"kernel", Unit::Text, Role::Key, Facet::Kernel, ""}, {"total", Unit::Ns, Role::Measure, Facet::None, ""}});
    table.add_row({"gemm", std::int64_t{1'234'567}});
    table.add_row({"ncclDevKernel_AllReduce_Sum_f32_RING_LL", std::int64_t{7}});
    table.add_row({"copy", {}});
    return table;
}

}  // namespace

TEST_CASE("texts are left-aligned, numbers right-aligned with their unit, absent cells a dash") {
    CHECK(to_text_table(kernel_table()) ==
          "kernel                                     total\n"
          "gemm                                     1.23 ms\n"
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL     7 ns\n"
          "copy                                           -\n");
}

TEST_CASE("names of kernels that are too long for the terminal are shortened, then cut in the middle") {
    CHECK(to_text_table(kernel_table(), {40, 0}) ==
          "kernel                    total\n"
          "gemm                    1.23 ms\n"
          "AllReduce \xc2\xb7 f32 \xc2\xb7 RING     7 ns\n"
          "copy                          -\n");
    CHECK(to_text_table(kernel_table(), {24, 0}) ==
          "kernel             total\n"
          "gemm             1.23 ms\n"
          "AllRedu\xe2\x80\xa6 \xc2\xb7 RING     7 ns\n"
          "copy                   -\n");
}

TEST_CASE("rows beyond the limit are counted") {
    const std::string text = to_text_table(kernel_table(), {0, 1});
    CHECK(text.ends_with("... and 2 more rows\n"));
    CHECK(text.find("nccl") == std::string::npos);
}

TEST_CASE("width counts displayed cells, not bytes") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("3\xc2\xb7"
                        "b") == 3);
    CHECK(display_width("\xe4\xb8\xad\xe6\x96\x87") == 4);  // two wide characters
    CHECK(display_width("e\xcc\x81") == 1);                  // e and a combining accent
    CHECK(display_width("\xff\xfe") == 2);                   // invalid bytes count one each
}

TEST_CASE("control characters of a trace do not reach the terminal") {
    Table table({{"kernel", Unit::Text, Role::Key, Facet::Kernel, ""}});
    table.add_row({"evil\x1b[2J\nname"});
    CHECK(to_text_table(table) == "kernel\nevil?[2J?name\n");
}

TEST_CASE("invalid UTF-8 is shown as invalid") {
    const std::string shown = "\xEF\xBF\xBD";
    CHECK(terminal_text("a\xed\xa0\x80") == "a" + shown + shown + shown);          // half a surrogate pair
    CHECK(terminal_text("\xe0\x80\xaf") == shown + shown + shown);                 // an overlong slash
    CHECK(terminal_text("\xf4\x90\x80\x80") == shown + shown + shown + shown);     // beyond Unicode
    CHECK(terminal_text("\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80") == "\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80");
}
