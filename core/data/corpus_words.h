// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

/// The words of the fables. In every list that shares a menu no word begins with another one.
namespace unroll::words {

using std::string_view;

/// The first twelve are "she", the others "he". Every name has an initial of its own.
inline constexpr size_t kSheNames = 12;
inline constexpr std::array<string_view, 24> kNames = {"Ada", "Cleo", "Eva", "Gwen", "Ivy",  "Liv",  "Nan",  "Pia",
                                                       "Rue", "Tess", "Una", "Zoe",  "Bram", "Dov",  "Finn", "Hal",
                                                       "Jon", "Kit",  "Max", "Otto", "Quin", "Sven", "Vic",  "Wim"};

inline constexpr std::array<string_view, 16> kCreatures = {"fox",  "owl",   "hare", "heron", "wren",   "mole",
                                                           "toad", "goose", "crow", "otter", "badger", "stoat",
                                                           "newt", "lynx",  "ram",  "bee"};

inline constexpr std::array<string_view, 24> kMoods = {
    "sly",  "shy",   "kind", "calm",    "proud",  "brave", "tired", "glad", "cross", "quiet", "hungry", "clever",
    "rude", "merry", "wise", "jealous", "polite", "lazy",  "bold",  "vain", "meek",  "sad",   "keen",   "full"};

/// All take a plain -s.
inline constexpr std::array<string_view, 40> kThings = {
    "lamp",  "bell", "rope", "sail", "boat", "kite",    "coin", "drum",  "key",   "map",   "jar", "cup", "pear", "plum",
    "ring",  "hat",  "net",  "oar",  "pie",  "lantern", "flag", "shell", "spoon", "stone", "egg", "fig", "nut",  "vest",
    "quilt", "yarn", "pot",  "bag",  "bow",  "toy",     "fan",  "jug",   "bun",   "cap",   "rug", "log"};

inline constexpr std::array<string_view, 40> kLooks = {
    "old",    "new",  "red",   "dim",   "thin",  "blue",  "grey", "gold",  "tiny",  "heavy",
    "broken", "wet",  "clean", "round", "small", "white", "lost", "dusty", "pale",  "brown",
    "brass",  "warm", "cold",  "odd",   "long",  "soft",  "fine", "bent",  "cheap", "tall",
    "raw",    "dry",  "big",   "dark",  "rare",  "dull",  "neat", "torn",  "plain", "stiff"};

inline constexpr std::array<string_view, 24> kPlaces = {
    "harbour", "mill", "hill", "well", "pier", "bridge", "garden", "wood",  "marsh", "inn",  "tower", "shore",
    "market",  "quay", "ford", "lane", "barn", "church", "cove",   "forge", "attic", "dune", "field", "island"};

inline constexpr std::array<string_view, 20> kWent = {
    "ran",    "walked",  "came",   "crept",   "hurried", "rowed",  "climbed", "wandered", "went",    "rode",
    "sailed", "drifted", "limped", "marched", "hopped",  "danced", "flew",    "swam",     "skipped", "jumped"};

/// Transitive verbs: past, third person, base form.
inline constexpr std::array<string_view, 24> kDid = {"found",   "kept",    "hid",     "took",    "sold",     "saw",
                                                     "mended",  "carried", "dropped", "held",    "stole",    "bought",
                                                     "wanted",  "lent",    "forgot",  "painted", "borrowed", "washed",
                                                     "counted", "praised", "broke",   "drew",    "gave up",  "left"};
inline constexpr std::array<string_view, 24> kDoes = {"finds",  "keeps",   "hides",   "takes",  "sells",    "sees",
                                                      "mends",  "carries", "drops",   "holds",  "steals",   "buys",
                                                      "wants",  "lends",   "forgets", "paints", "borrows",  "washes",
                                                      "counts", "praises", "breaks",  "draws",  "gives up", "leaves"};
inline constexpr std::array<string_view, 24> kDo = {
    "find", "keep", "hide",   "take",  "sell",   "see",  "mend",  "carry",  "drop",  "hold", "steal",   "buy",
    "want", "lend", "forget", "paint", "borrow", "wash", "count", "praise", "break", "draw", "give up", "leave"};

inline constexpr std::array<string_view, 12> kSaid = {"said", "cried",  "sang",   "sighed", "wept",    "called",
                                                      "lied", "roared", "yawned", "joked",  "laughed", "begged"};
inline constexpr std::array<string_view, 3> kAsked = {"asked", "wondered", "whispered"};
inline constexpr std::array<string_view, 8> kMinds = {"fears", "needs",  "loves", "feeds",
                                                      "fools", "envies", "heeds", "helps"};
inline constexpr std::array<string_view, 6> kNear = {"by the ",    "near the ", "behind the ",
                                                     "below the ", "at the ",   "past the "};

inline constexpr std::array<string_view, 16> kTimes = {
    "At dawn ", "At dusk ", "At noon ",      "At tea ",   "At six ", "In June ", "In May ", "In fog ",
    "In snow ", "In rain ", "By moonlight ", "By night ", "Later ",  "Soon ",    "Then ",   "Once more "};

inline constexpr std::array<string_view, 6> kOpenings = {"Once ",       "Long ago ",  "One winter ",
                                                         "One spring ", "Years ago ", "In a dry year "};

inline constexpr std::array<string_view, 8> kToward = {"to the ",   "past the ", "from the ", "round the ",
                                                       "over the ", "into the ", "up the ",   "by the "};

inline constexpr std::array<string_view, 12> kWeather = {"wind", "rain", "moon",  "sun",   "sea",   "tide",
                                                         "fog",  "snow", "frost", "night", "storm", "river"};
inline constexpr std::array<string_view, 12> kPassed = {"rose", "fell",   "sang",   "slept",  "grew",   "came",
                                                        "went", "turned", "waited", "sighed", "passed", "stayed"};
inline constexpr std::array<string_view, 12> kSlowly = {" slowly", " softly", " again", " early", " late",  " alone",
                                                        " soon",   " twice",  " badly", " often", " first", " at once"};
inline constexpr std::array<string_view, 4> kKin = {"mother", "father", "uncle", "sister"};

} // namespace unroll::words
