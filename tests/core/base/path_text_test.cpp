#include "core/base/path_text.hpp"

#include "core/base/utf8.hpp"

#include <doctest/doctest.h>

namespace fs = std::filesystem;

TEST_CASE("paths as text: every byte comes back, and the text is UTF-8") {
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    for (const std::string& path : {std::string("/runs/a b"), std::string("/runs/caf\xc3\xa9"), std::string("/r/\xff"),
                                    std::string("/r/\xe9\x80/100%41"), std::string("bytes:/x"), all}) {
        CAPTURE(path);
        const std::string text = core::path_to_text(path);
        CHECK(core::is_utf8(text));
        CHECK(core::path_from_text(text) == std::optional<fs::path>(path));
    }
    CHECK(core::path_to_text("/runs/caf\xc3\xa9") == "/runs/caf\xc3\xa9");
    CHECK(core::path_to_text("/r/\xff%") == "bytes:/r/%FF%25");
}

TEST_CASE("paths as text: what no path has is nothing") {
    for (const std::string& text :
         {std::string(), std::string("bytes:"), std::string("bytes:%"), std::string("bytes:%4"),
          std::string("bytes:%zz"), std::string("bytes:a%00b"), std::string("a\0b", 3)}) {
        CAPTURE(text);
        CHECK_FALSE(core::path_from_text(text));
    }
}
