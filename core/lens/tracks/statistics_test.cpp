// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers to compare with are of scikit-learn 1.9.1 and scipy 1.17.1:
//
//   import numpy as np
//   from scipy import stats; from scipy.special import betainc
//   from sklearn.metrics import roc_auc_score; from sklearn.linear_model import LogisticRegression, Ridge
//   i = np.arange(60)
//   x, ties, z = ((i * 37) % 101) / 7.0, (i * i) % 7, (i * 29) % 53
//   y = ((i * i * 3 + i) % 5 < 2).astype(int)
//   roc_auc_score(y, x), roc_auc_score(y, ties), stats.pearsonr(x, z), stats.pearsonr(ties, z)
//   [betainc(a, b, t) for a, b, t in [(.5, .5, .3), (2047, .5, .99), (1.5, .5, .7), (30, .5, .2)]]
//   stats.false_discovery_control([0.01, 0.04, 0.03, 0.5, 0.001, 0.2])
//   X = np.stack([((i * 37) % 101) / 50.0 - 1, ((i * i) % 7) / 3.0 - 1,
//                 ((i * 29) % 53) / 26.0 - 1, ((i**3 + 5) % 17) / 8.0 - 1], 1)
//   LogisticRegression(C=1.0, tol=1e-13, max_iter=100000, solver="newton-cholesky").fit(X, y)
//   Ridge(alpha=1.0, solver="cholesky").fit(X, 2 * X[:, 0] - X[:, 2] + 0.3 * np.sin(i) + 1)
//
// What a probe reaches on the half that it was not fitted on, beside the majority:
//
//   j, h = np.arange(300), 150
//   U = np.stack([((j * 37) % 101) / 50.0 - 1, ((j * j) % 7) / 3.0 - 1, ((j * 29) % 53) / 26.0 - 1,
//                 ((j**3 + 5) % 17) / 8.0 - 1, ((j * j * j * 7 + j) % 23) / 11.0], 1)
//   side = (U[:, 0] - 0.7 * U[:, 1] + 0.4 * ((j * 13) % 11) / 11.0 > 0.3).astype(int)
//   rare = ((j * j + 3 * j) % 13 == 1).astype(int)
//   size = np.float32(2 * U[:, 2] - U[:, 3] + ((j * 17) % 19) / 19.0).astype(float)
//   scaler = StandardScaler().fit(U[:h]); A, B = scaler.transform(U[:h]), scaler.transform(U[h:])
//   for t in side, rare:
//       LogisticRegression(C=1.0, tol=1e-13, max_iter=100000, solver="newton-cholesky").fit(A, t[:h]).score(B, t[h:])
//       DummyClassifier(strategy="most_frequent").fit(A, t[:h]).score(B, t[h:])
//   r2_score(size[h:], Ridge(alpha=1.0, solver="cholesky").fit(A, size[:h]).predict(B))
#include "core/lens/tracks/statistics.h"

#include "core/data/fable_corpus.h"
#include "core/lens/tracks/probes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mv.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <random>

namespace unroll::lenses::tracks {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

at::Tensor tensorOf(const std::vector<std::vector<double>>& rows)
{
    at::Tensor made = at::empty({std::ssize(rows), std::ssize(rows.front())}, at::kDouble);
    double* to = made.mutable_data_ptr<double>();
    for (const auto& row : rows)
        to = std::copy(row.begin(), row.end(), to);
    return made;
}

Feature binary(std::vector<float> values)
{
    return {"b", "b", "when b", std::move(values)};
}

Feature number(std::vector<float> values)
{
    return {"n", "n", "", std::move(values)};
}

double score(const Association& found, std::int64_t feature, std::int64_t unit)
{
    return found.scores[feature][unit].item<double>();
}

/// The numbers of the snippet above.
struct Sample {
    std::vector<double> x, ties;
    std::vector<float> y, z;

    Sample()
    {
        for (int i = 0; i < 60; ++i) {
            x.push_back(((i * 37) % 101) / 7.0);
            ties.push_back((i * i) % 7);
            y.push_back((i * i * 3 + i) % 5 < 2 ? 1 : 0);
            z.push_back(static_cast<float>((i * 29) % 53));
        }
    }
};

TEST(TracksStatistics, AucAndCorrelationAreThoseOfScikitLearnAndScipy)
{
    const Sample sample;
    const Association found = associate(tensorOf({sample.x, sample.ties}), {binary(sample.y), number(sample.z)}, {});
    EXPECT_NEAR(score(found, 0, 0), 0.5138888888888888, 1e-9);
    EXPECT_NEAR(score(found, 0, 1), 0.4814814814814814, 1e-9);
    EXPECT_NEAR(score(found, 1, 0), 0.14902186680058532, 1e-9);
    EXPECT_NEAR(score(found, 1, 1), 0.04530657674974848, 1e-9);
    EXPECT_NEAR(correlationP(0.14902186680058532, 60), 0.25579116477999303, 1e-9);
}

/// Every pair of a step that is on and one that is off, one after the other.
TEST(TracksStatistics, AucCountsPairsAlsoWhereAFeatureIsNotKnown)
{
    std::mt19937 random(3);
    for (const std::size_t steps : {17u, 64u, 301u}) {
        std::vector<double> unit(steps);
        std::vector<float> feature(steps);
        for (std::size_t i = 0; i < steps; ++i) {
            unit[i] = static_cast<double>(random() % 9); // many ties
            feature[i] =
                i % 7 == 3 && steps > 20 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random() % 2);
        }
        double won = 0, pairs = 0;
        for (std::size_t on = 0; on < steps; ++on)
            for (std::size_t off = 0; off < steps; ++off)
                if (feature[on] == 1 && feature[off] == 0) {
                    ++pairs;
                    won += unit[on] > unit[off] ? 1 : unit[on] == unit[off] ? 0.5 : 0;
                }
        EXPECT_NEAR(score(associate(tensorOf({unit}), {binary(feature)}, {}), 0, 0), won / pairs, 1e-12);
    }
}

TEST(TracksStatistics, TheFlagItselfIsOneItsOppositeNothing)
{
    std::mt19937 random(4);
    std::vector<double> flag, opposite, level;
    std::vector<float> feature;
    for (int i = 0; i < 500; ++i) {
        feature.push_back(i / 10 % 3 == 0 ? 1 : 0);
        flag.push_back(static_cast<double>(feature.back()));
        opposite.push_back(-3 * flag.back());
        level.push_back(2 + 1e-9 * flag.back());
    }
    const Association found = associate(tensorOf({flag, opposite, level}), {binary(feature), number(feature)}, {});
    EXPECT_NEAR(score(found, 0, 0), 1, 1e-12);
    EXPECT_NEAR(score(found, 0, 1), 0, 1e-12);
    EXPECT_NEAR(score(found, 0, 2), 1, 1e-12);
    EXPECT_NEAR(score(found, 1, 0), 1, 1e-12);
    EXPECT_NEAR(score(found, 1, 1), -1, 1e-12);
    EXPECT_LT(found.q[0][0].item<double>(), 1e-9);
    EXPECT_LT(found.chance[0], 1);
}

TEST(TracksStatistics, SayWhatIsNotAvailable)
{
    std::vector<double> constant(40, 0.1), broken(40), good(40);
    for (int i = 0; i < 40; ++i)
        broken[static_cast<std::size_t>(i)] = good[static_cast<std::size_t>(i)] = i;
    broken[7] = kNone;
    std::vector<float> half(40), rare(40, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < 40; ++i)
        half[i] = i < 20 ? 0 : 1;
    rare[3] = 1;
    const Association found = associate(
        tensorOf({constant, broken, good}),
        {binary(half), binary(std::vector<float>(40, 1)), number(std::vector<float>(40, 2)), number(rare)}, {});
    EXPECT_TRUE(std::isnan(score(found, 0, 0)));
    EXPECT_TRUE(std::isnan(score(found, 0, 1)));
    EXPECT_EQ(score(found, 0, 2), 1);
    EXPECT_TRUE(std::isnan(found.p[0][1].item<double>()) && std::isnan(found.q[0][0].item<double>()));
    EXPECT_EQ(found.reasons[0], "");
    EXPECT_EQ(found.reasons[1], "it is on at every one of these steps");
    EXPECT_EQ(found.reasons[2], "it does not change over these steps");
    EXPECT_EQ(found.reasons[3], "it is known at 1 of 40 steps");
    EXPECT_EQ(found.on[0], 0.5);
    for (const std::int64_t f : {1, 2, 3})
        EXPECT_TRUE(std::isnan(score(found, f, 2)));
}

TEST(TracksStatistics, BetaAndCorrectionAreThoseOfScipy)
{
    EXPECT_NEAR(regularisedBeta(0.3, 0.5, 0.5), 0.36901011956554536, 1e-12);
    EXPECT_NEAR(regularisedBeta(0.99, 2047, 0.5) / 1.4162999136362245e-10, 1, 1e-9);
    EXPECT_NEAR(regularisedBeta(0.7, 1.5, 0.5), 0.3392540508564546, 1e-12);
    EXPECT_NEAR(regularisedBeta(0.2, 30, 0.5) / 1.2265219714158866e-22, 1, 1e-9);
    EXPECT_EQ(regularisedBeta(0, 2, 3), 0);
    EXPECT_EQ(regularisedBeta(1, 2, 3), 1);
    const std::vector<double> q = adjusted({0.01, 0.04, kNone, 0.03, 0.5, 0.001, 0.2});
    const double expected[] = {0.03, 0.06, kNone, 0.06, 0.5, 0.006, 0.24};
    for (std::size_t i = 0; i < q.size(); ++i)
        EXPECT_TRUE(i == 2 ? std::isnan(q[i]) : std::abs(q[i] - expected[i]) < 1e-12) << i;
}

at::Tensor designMatrix()
{
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < 60; ++i)
        rows.push_back({((i * 37) % 101) / 50.0 - 1, ((i * i) % 7) / 3.0 - 1, ((i * 29) % 53) / 26.0 - 1,
                        ((i * i * i + 5) % 17) / 8.0 - 1});
    return tensorOf(rows);
}

TEST(TracksProbes, AreThoseOfScikitLearn)
{
    const at::Tensor x = designMatrix();
    std::vector<double> y, t;
    for (int i = 0; i < 60; ++i) {
        y.push_back((i * i * 3 + i) % 5 < 2 ? 1 : 0);
        t.push_back(2 * x[i][0].item<double>() - x[i][2].item<double>() + 0.3 * std::sin(i) + 1);
    }
    const ProbeBasis basis(x);
    const LinearProbe logistic = basis.logistic(tensorOf({y}).t()).front();
    const LinearProbe ridge = basis.ridge(tensorOf({t}).t(), 1).front();
    const double expectedLogistic[] = {0.11046910312546374, -0.13401927288968807, -0.1896198127324946,
                                       -0.3440633558630334};
    const double expectedRidge[] = {1.8879397530009383, 0.019195874413551597, -0.9379666552281354,
                                    -0.010999807030270129};
    for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(logistic.weights[i].item<double>(), expectedLogistic[i], 1e-9) << i;
        EXPECT_NEAR(ridge.weights[i].item<double>(), expectedRidge[i], 1e-12) << i;
    }
    EXPECT_NEAR(logistic.bias, -0.4664863555393382, 1e-9);
    EXPECT_NEAR(ridge.bias, 1.0169694666625844, 1e-12);
}

/// At the least the objective's derivatives vanish, of each of many features that are fitted together, rare and
/// linearly separable ones too; and alone each is the same.
TEST(TracksProbes, OfManyFeaturesTogetherAreEachAtItsLeast)
{
    std::mt19937 random(11);
    std::normal_distribution<double> draw;
    constexpr std::int64_t n = 300, units = 20, features = 9;
    at::Tensor x = at::empty({n, units}, at::kDouble), y = at::empty({n, features}, at::kDouble);
    for (std::int64_t i = 0; i < n; ++i) {
        const double common = draw(random);
        for (std::int64_t u = 0; u < units; ++u)
            x[i][u] = u == 19 ? x[i][18].item<double>() * 2 : 3 + common + 0.1 * draw(random) * static_cast<double>(u);
        for (std::int64_t f = 0; f < features; ++f)
            y[i][f] = common + (f < 4 ? 0.5 * draw(random) : 0) > 0.5 * static_cast<double>(f) - 1.5 ? 1 : 0;
    }
    const ProbeBasis basis(x);
    const std::vector<LinearProbe> together = basis.logistic(y), ridge = basis.ridge(y, 2);
    ASSERT_EQ(together.size(), static_cast<std::size_t>(features));
    for (std::int64_t f = 0; f < features; ++f) {
        const LinearProbe &probe = together[static_cast<std::size_t>(f)],
                          alone = basis.logistic(y.narrow(1, f, 1)).front();
        EXPECT_LT((probe.weights - alone.weights).abs().max().item<double>(), 1e-6) << f;
        const at::Tensor wrong = (at::mv(x, probe.weights) + probe.bias).sigmoid() - y.select(1, f);
        EXPECT_LT((at::mv(x.t(), wrong) + probe.weights).abs().max().item<double>(), 1e-5) << f;
        EXPECT_LT(std::abs(wrong.sum().item<double>()), 1e-6) << f;
        const LinearProbe& line = ridge[static_cast<std::size_t>(f)];
        const at::Tensor rest = at::mv(x, line.weights) + line.bias - y.select(1, f);
        EXPECT_LT((at::mv(x.t(), rest) + 2 * line.weights).abs().max().item<double>(), 1e-9) << f;
    }
}

TEST(TracksProbes, ScoresAndMajorityAreThoseOfScikitLearn)
{
    std::vector<std::vector<double>> units(5);
    std::vector<float> side, rare, size;
    for (std::int64_t j = 0; j < 300; ++j) {
        const auto place = [](std::int64_t number, std::int64_t modulus, double by) {
            return static_cast<double>(number % modulus) / by;
        };
        const double values[] = {place(j * 37, 101, 50) - 1, place(j * j, 7, 3) - 1, place(j * 29, 53, 26) - 1,
                                 place(j * j * j + 5, 17, 8) - 1, place(j * j * j * 7 + j, 23, 11)};
        for (std::size_t u = 0; u < 5; ++u)
            units[u].push_back(values[u]);
        side.push_back(values[0] - 0.7 * values[1] + 0.4 * place(j * 13, 11, 11) > 0.3 ? 1 : 0);
        rare.push_back((j * j + 3 * j) % 13 == 1 ? 1 : 0);
        size.push_back(static_cast<float>(2 * values[2] - values[3] + place(j * 17, 19, 19)));
    }
    const auto scores = probeScores(tensorOf(units), {binary(side), binary(rare), number(size)}, {});
    ASSERT_TRUE(scores[0] && scores[1] && scores[2]);
    EXPECT_NEAR(scores[0]->score, 0.9333333333333333, 1e-9);
    EXPECT_NEAR(scores[0]->base, 0.56, 1e-9);
    EXPECT_NEAR(scores[1]->score, 0.9266666666666666, 1e-9);
    EXPECT_NEAR(scores[1]->base, 0.9266666666666666, 1e-9);
    EXPECT_NEAR(scores[2]->score, 0.9499924310709498, 1e-9);
    EXPECT_EQ(scores[2]->base, 0);
}

TEST(TracksProbes, ReadFromOneHalfWhatHoldsInTheOther)
{
    std::mt19937 random(5);
    std::normal_distribution<double> draw;
    std::vector<std::vector<double>> units(6, std::vector<double>(800));
    std::vector<float> side(800), size(800), noise(800), early(800);
    for (std::size_t i = 0; i < 800; ++i) {
        for (auto& unit : units)
            unit[i] = draw(random);
        units[5][i] = 4; // constant
        side[i] = units[0][i] - units[1][i] > 0.2 ? 1 : 0;
        size[i] = static_cast<float>(3 * units[2][i] - units[3][i] + 7);
        noise[i] = random() % 4 == 0 ? 1 : 0;
        early[i] = i < 100 ? 1 : 0;
    }
    const auto scores = probeScores(tensorOf(units), {binary(side), number(size), binary(noise), binary(early)}, {});
    ASSERT_TRUE(scores[0] && scores[1] && scores[2]);
    EXPECT_GT(scores[0]->score, 0.97);
    EXPECT_NEAR(scores[0]->base, 0.55, 0.06);
    EXPECT_GT(scores[1]->score, 0.999);
    EXPECT_EQ(scores[1]->base, 0);
    EXPECT_NEAR(scores[2]->score, scores[2]->base, 0.02);
    EXPECT_FALSE(scores[3]) << "it never holds in the second half";
}

/// Units that have nothing to do with the data: each goes on from itself with a factor of its own (AR(1)), some for
/// hundreds of steps.
at::Tensor wanderingUnits(std::int64_t units, std::int64_t steps, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> draw;
    const double factors[] = {0, 0.5, 0.9, 0.97, 0.99, 0.997};
    at::Tensor made = at::empty({units, steps}, at::kDouble);
    double* to = made.mutable_data_ptr<double>();
    for (std::int64_t u = 0; u < units; ++u) {
        const double factor = factors[u % 6];
        double value = draw(random) / std::sqrt(1 - factor * factor);
        for (std::int64_t t = 0; t < steps; ++t) {
            *to++ = value;
            value = factor * value + draw(random);
        }
    }
    return made;
}

std::vector<Feature> featuresOfFables(std::int64_t steps)
{
    const auto data = fableDataset({.characters = 80'000}).value();
    ReadSequence read;
    read.tokens = data->beginning(Split::Validation, steps);
    read.steps = read.to = std::ssize(read.tokens);
    return featuresOf(*data, {read});
}

/// At a false discovery rate of 5 %, where nothing is to be found at most 5 runs in 100 find anything.
TEST(TracksStatistics, RandomUnitsStayAtChance)
{
    const std::vector<Feature> features = featuresOfFables(4096);
    int runs = 0, discoveries = 0, corrected = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        const Association found = associate(wanderingUnits(24, 4096, seed), features, {.shuffles = 20, .seed = seed});
        int here = 0;
        for (std::int64_t f = 0; f < found.q.size(0); ++f)
            for (std::int64_t u = 0; u < found.q.size(1); ++u)
                if (found.q[f][u].item<double>() <= 0.05) {
                    ++corrected;
                    here += strengthOf(score(found, f, u), features[static_cast<std::size_t>(f)].binary()) >
                            strengthOf(found.chance[static_cast<std::size_t>(f)],
                                       features[static_cast<std::size_t>(f)].binary());
                }
        runs += here > 0;
        discoveries += here;
    }
    std::printf("runs with a discovery: %d of 100; discoveries %d, of the correction alone %d\n", runs, discoveries,
                corrected);
    EXPECT_LE(runs, 5);
}

/// The chance level is what it says: of 20 runs the best unit exceeds it in about one.
TEST(TracksStatistics, TheChanceLevelIsExceededInOneOfTwenty)
{
    std::vector<float> feature(2000);
    for (std::size_t i = 0; i < feature.size(); ++i)
        feature[i] = i / 13 % 5 == 0 ? 1 : 0;
    std::mt19937 random(9);
    int exceeded = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::shuffle(feature.begin(), feature.end(), random);
        const Association found = associate(wanderingUnits(12, 2000, 1000 + seed), {binary(feature)}, {.seed = seed});
        double best = 0;
        for (std::int64_t u = 0; u < 12; ++u)
            best = std::max(best, strengthOf(score(found, 0, u), true));
        exceeded += best > strengthOf(found.chance[0], true);
    }
    std::printf("the chance level was exceeded in %d of 200 runs\n", exceeded);
    EXPECT_GE(exceeded, 2);
    EXPECT_LE(exceeded, 22);
}

TEST(TracksStatistics, CostLittle)
{
    const std::vector<Feature> features = featuresOfFables(4096);
    const at::Tensor units = wanderingUnits(256, 4096, 7);
    const auto seconds = [](const auto& work) {
        const std::clock_t begin = std::clock(); // of the processor: others use it too
        work();
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    const double statistics = seconds([&] { (void)associate(units, features, {}); });
    const double probes = seconds([&] { (void)probeScores(units, features, {}); });
    std::printf("4,096 steps, 256 units, %zu features: statistics %.3f s, probes %.3f s\n", features.size(), statistics,
                probes);
    EXPECT_LT(statistics, 5) << "in a build without optimisation too";
}

} // namespace
} // namespace unroll::lenses::tracks
