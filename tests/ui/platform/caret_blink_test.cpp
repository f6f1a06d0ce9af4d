#include "ui/platform/caret_blink.hpp"

#include <doctest/doctest.h>

TEST_CASE("a caret blinks for ten seconds after the last input") {
    ui::CaretBlink caret;
    caret.update(100, false);
    CHECK(!caret.blinks());  // nothing was typed yet
    caret.update(101, true);
    CHECK(caret.blinks());
    caret.update(110.9, false);
    CHECK(caret.blinks());
    caret.update(111, false);
    CHECK(!caret.blinks());
    caret.update(500, true);
    CHECK(caret.blinks());
}
