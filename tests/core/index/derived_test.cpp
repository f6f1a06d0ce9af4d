#include "core/index/derived.hpp"

#include <doctest/doctest.h>

#include <latch>
#include <stdexcept>
#include <thread>

using core::Derived;

namespace {

struct Slow {
    int value;
};
struct Quick {
    int value;
};

}  // namespace

TEST_CASE("who asks for one type does not wait for another one that is being made") {
    const Derived derived;
    std::latch began(1), may_end(1);
    std::thread maker([&] {
        derived.get<Slow>([&] {
            began.count_down();
            may_end.wait();
            return std::make_shared<const Slow>(Slow{1});
        });
    });
    began.wait();
    CHECK_FALSE(derived.find<Slow>());
    CHECK(derived.get<Quick>([] { return std::make_shared<const Quick>(Quick{2}); })->value == 2);
    CHECK(derived.find<Quick>());
    may_end.count_down();
    maker.join();
    CHECK(derived.get<Slow>([]() -> std::shared_ptr<const Slow> { throw std::logic_error("made twice"); })->value == 1);
}

TEST_CASE("making one type may ask for others, and what failed or gave none is made again") {
    const Derived derived;
    CHECK_THROWS(derived.get<Quick>([]() -> std::shared_ptr<const Quick> { throw std::runtime_error("not now"); }));
    CHECK_FALSE(derived.get<Quick>([] { return std::shared_ptr<const Quick>(); }));
    const auto slow = derived.get<Slow>([&] {
        const auto quick = derived.get<Quick>([] { return std::make_shared<const Quick>(Quick{3}); });
        return std::make_shared<const Slow>(Slow{quick->value + 1});
    });
    CHECK(slow->value == 4);
    derived.put<Slow>(std::make_shared<const Slow>(Slow{5}));
    CHECK(derived.find<Slow>()->value == 5);
    CHECK(slow->value == 4);
}
