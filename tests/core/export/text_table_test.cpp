#include "core/export/text_table.hpp"

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

TEST_CASE("long names are cut in the middle to the columns of the terminal") {
    CHECK(to_text_table(kernel_table(), {30, 0}) ==
          "kernel                   total\n"
          "gemm                   1.23 ms\n"
          "ncclDevKer\xe2\x80\xa6"
          "32_RING_LL     7 ns\n"
          "copy                         -\n");
}

TEST_CASE("rows beyond the limit are counted") {
    const std::string text = to_text_table(kernel_table(), {0, 1});
    CHECK(text.ends_with("... and 2 more rows\n"));
    CHECK(text.find("nccl") == std::string::npos);
}

TEST_CASE("width is what is seen, not bytes") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("3\xc2\xb7"
                        "b") == 3);
    CHECK(display_width("\xe4\xb8\xad\xe6\x96\x87") == 4);  // two wide characters
    CHECK(display_width("e\xcc\x81") == 1);                  // e and a combining accent
    CHECK(display_width("\xff\xfe") == 2);                   // bytes that are no text count one each
}

TEST_CASE("control characters of a trace cannot steer the terminal") {
    Table table({{"kernel", Unit::Text, Role::Key, Facet::Kernel, ""}});
    table.add_row({"evil\x1b[2J\nname"});
    CHECK(to_text_table(table) == "kernel\nevil?[2J?name\n");
}

TEST_CASE("bytes that only look like UTF-8 are shown as what is no text") {
    const std::string shown = "\xEF\xBF\xBD";
    CHECK(harmless("a\xed\xa0\x80") == "a" + shown + shown + shown);          // half of a surrogate pair
    CHECK(harmless("\xe0\x80\xaf") == shown + shown + shown);                 // an overlong slash
    CHECK(harmless("\xf4\x90\x80\x80") == shown + shown + shown + shown);     // beyond Unicode
    CHECK(harmless("\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80") == "\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80");
}
