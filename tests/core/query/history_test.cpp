#include "core/query/history.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace {

using core::Gesture;
using core::History;

}  // namespace

TEST_CASE("committed values are undone and redone in their order") {
    History<int> history(0);
    CHECK_FALSE(history.can_undo());
    for (const int value : {1, 2, 3}) history.commit(value);
    CHECK(history.commits() == 3);
    for (const int value : {2, 1, 0}) {
        REQUIRE(history.can_undo());
        history.undo();
        CHECK(history.current() == value);
    }
    CHECK_FALSE(history.can_undo());
    history.undo();
    CHECK(history.current() == 0);
    for (const int value : {1, 2, 3, 3}) {
        history.redo();
        CHECK(history.current() == value);
    }
}

TEST_CASE("a commit after undo forgets what could be redone, one of the same value does nothing") {
    History<int> history(0);
    history.commit(1);
    history.undo();
    history.commit(0);
    CHECK(history.can_redo());
    history.commit(5);
    CHECK_FALSE(history.can_redo());
    history.undo();
    CHECK(history.current() == 0);
}

TEST_CASE("commits of one gesture are one step, of the same number but another kind they are two") {
    History<int> history(0);
    for (const int value : {1, 2, 3}) history.commit(value, {Gesture::Kind::View, 7});
    history.commit(4, {Gesture::Kind::Filter, 7});
    history.commit(5, {Gesture::Kind::Note, 7});
    history.commit(6, {Gesture::Kind::Note, 8});
    for (const int value : {5, 4, 3, 0}) {
        history.undo();
        CHECK(history.current() == value);
    }
}

TEST_CASE("a gesture ends with another commit, with undo, with redo and with a replaced value") {
    const Gesture drag{Gesture::Kind::Filter, 1};
    const auto steps_after = [&](const auto& between) {
        History<int> history(0);
        history.commit(1, drag);
        between(history);
        history.commit(9, drag);
        history.undo();
        return history.current();
    };
    CHECK(steps_after([](History<int>&) {}) == 0);
    CHECK(steps_after([](History<int>& history) { history.commit(2); }) == 2);
    CHECK(steps_after([](History<int>& history) { history.replace(3); }) == 3);
    CHECK(steps_after([](History<int>& history) {
              history.undo();
              history.redo();
          }) == 1);
    CHECK(steps_after([](History<int>& history) { history.amend(4); }) == 0);
}

TEST_CASE("an amended value keeps what can be undone and redone") {
    History<int> history(0);
    history.commit(1);
    history.commit(2);
    history.undo();
    history.amend(10);
    CHECK(history.current() == 10);
    history.redo();
    CHECK(history.current() == 2);
    history.undo();
    CHECK(history.current() == 10);
    history.undo();
    CHECK(history.current() == 0);
}

TEST_CASE("the oldest steps are forgotten beyond the most that are kept") {
    History<int> history(0);
    const int last = static_cast<int>(History<int>::kMost) + 50;
    for (int value = 1; value <= last; ++value) history.commit(value);
    std::size_t steps = 0;
    for (; history.can_undo(); ++steps) history.undo();
    CHECK(steps == History<int>::kMost - 1);
    CHECK(history.current() == last - static_cast<int>(steps));
}

TEST_CASE("the history is a list with a place in it, whatever is done") {
    std::mt19937 random(5);
    History<int> history(0);
    std::vector<int> values{0};
    std::size_t at = 0;
    for (int i = 1; i < 2000; ++i) {
        switch (random() % 4) {
            case 0:
                history.undo();
                at -= at > 0 ? 1 : 0;
                break;
            case 1:
                history.redo();
                at += at + 1 < values.size() ? 1 : 0;
                break;
            case 2:
                history.amend(-i);
                values[at] = -i;
                break;
            default:
                history.commit(i);
                values.resize(at + 1);
                values.push_back(i);
                ++at;
        }
        REQUIRE(history.current() == values[at]);
        REQUIRE(history.can_undo() == (at > 0));
        REQUIRE(history.can_redo() == (at + 1 < values.size()));
    }
}
