// Written by `python -m tools.generate` from native/functions/coefficients.h.

// e^r = 1 + r + r^2 p(r), |r| <= ln 2 / 2; relative error 2^-43.9
constant double kExp[8] = {
    0x1.fffffffffe066p-2, 0x1.5555555554f97p-3, 0x1.55555565c69d6p-5,
    0x1.111111170b4afp-7, 0x1.6c166be2f8a3bp-10, 0x1.a019c36ef018cp-13,
    0x1.a136b7b7b422ap-16, 0x1.72ad4031f94e2p-19};

// cosh r = 1 + w p(w), w = r^2, |r| <= ln 2 / 2; relative error 2^-44.1
constant double kExpEven[4] = {
    0x1.fffffffffe066p-2, 0x1.55555565c69d6p-5, 0x1.6c166be2f8a3bp-10,
    0x1.a136b7b7b422ap-16};

// sinh r = r + r w p(w), w = r^2, |r| <= ln 2 / 2; relative error 2^-47.5
constant double kExpOdd[4] = {
    0x1.5555555554f97p-3, 0x1.111111170b4afp-7, 0x1.a019c36ef018cp-13,
    0x1.72ad4031f94e2p-19};

// e^r = 1 + r + r^2 p(r), |r| <= ln 2 / 32, in FLOAT32; relative error 2^-36.6
constant float kPower[3] = {
    0x1.0000000000000p-1f, 0x1.5556e00000000p-3f, 0x1.55565c0000000p-5f};

// tanh x = x - x w / 3 + x w^2 p(w), w = x^2, |x| <= 1/4, in FLOAT32; relative error 2^-35.1
constant float kTanhNear[4] = {
    0x1.1111120000000p-3f, -0x1.ba1b320000000p-5f, 0x1.6608f60000000p-6f,
    -0x1.1436f40000000p-7f};

// log((1 + s) / (1 - s)) = 2 s + 2 s w p(w), w = s^2, from sqrt(1/2) to sqrt(2); relative error 2^-57.6
constant double kLog[7] = {
    0x1.5555555555558p-2, 0x1.99999999952d7p-3, 0x1.2492492df281ap-3,
    0x1.c71c62e3f11e6p-4, 0x1.7462b51cb66b1p-4, 0x1.39fe51a7c18f9p-4,
    0x1.2b5900de53b32p-4};

// the same for |s| <= 1/3: from 1/2 to 2; relative error 2^-47.0
constant double kLogWide[8] = {
    0x1.5555555555157p-2, 0x1.9999999bd81f3p-3, 0x1.2492477e1dce5p-3,
    0x1.c71d5d8ecb89dp-4, 0x1.743cf2e7a943ep-4, 0x1.3d6fb1589de81p-4,
    0x1.f1cd3c3f72266p-5, 0x1.6cb6b520b2eb7p-4};

// sin r = r + r w p(w), w = r^2, |r| <= pi / 2; relative error 2^-50.2
constant double kSine[7] = {
    -0x1.555555555554fp-3, 0x1.1111111110064p-7, -0x1.a01a019e695f4p-13,
    0x1.71de394e3dc0dp-19, -0x1.ae63bdeee4c6cp-26, 0x1.60f6ee88df77ap-33,
    -0x1.a108fba8478aap-41};

// the same for |r| <= pi / 4; relative error 2^-45.6
constant double kSineNarrow[5] = {
    -0x1.555555555516bp-3, 0x1.1111110fd3b3cp-7, -0x1.a019fd9ae7168p-13,
    0x1.71d9a9b87993fp-19, -0x1.aa283bea75579p-26};

// cos r = 1 - w / 2 + w^2 p(w), w = r^2, |r| <= pi / 4; relative error 2^-49.7
constant double kCosineNarrow[5] = {
    0x1.5555555555437p-5, -0x1.6c16c16b613d3p-10, 0x1.a019ff537986cp-16,
    -0x1.27e25f2996b83p-22, 0x1.1c81b3862d88cp-29};

// arctan z = z + z w p(w), w = z^2, |z| <= tan(pi / 8); relative error 2^-43.1
constant double kArctangent[8] = {
    -0x1.555555555260ep-2, 0x1.999999885befbp-3, -0x1.249240d9941d8p-3,
    0x1.c7196338febe7p-4, -0x1.7415affa08e33p-4, 0x1.377de082fa570p-4,
    -0x1.edbfaee18e70fp-5, 0x1.0df7a02661596p-5};

// arcsin z = z + z w p(w), w = z^2, |z| <= 1/2; relative error 2^-46.0
constant double kArcsine[10] = {
    0x1.5555555554f05p-3, 0x1.33333335a9cd6p-4, 0x1.6db6d8e71341bp-5,
    0x1.f1c81c59ea536p-6, 0x1.6e72146fda29ep-6, 0x1.1dc2ef640046fp-6,
    0x1.b02442413f6bap-7, 0x1.00d47e7966d94p-6, -0x1.815314c864b09p-9,
    0x1.c93a92d53b4f1p-6};

// erf x = x p(u), u = x^2 / 8 - 1, |x| <= 4; relative error 2^-46.6
constant double kErf[25] = {
    0x1.6a040781a499cp-2, -0x1.69a0ccda3d64cp-3, 0x1.0dabaf0613ba3p-3,
    -0x1.b92e95c2082efp-4, 0x1.717efc7866622p-4, -0x1.3215d8a93e637p-4,
    0x1.ea97f1435b3b1p-5, -0x1.76e8662b934a6p-5, 0x1.0ed52c746d5a7p-5,
    -0x1.7034e0d4c07fbp-6, 0x1.d6351b2a68c30p-7, -0x1.1a03324524eb7p-7,
    0x1.3e159e4055495p-8, -0x1.51e22dc762af1p-9, 0x1.52d2a857d3684p-10,
    -0x1.41c98e7223066p-11, 0x1.212a99410147fp-12, -0x1.e8ca45225386bp-14,
    0x1.8e920ca09e5a6p-15, -0x1.495c9865bc3cep-16, 0x1.e1ce46763b7c1p-18,
    -0x1.df21589961445p-20, 0x1.597abb52dd5a5p-21, -0x1.05d62bdd9912dp-21,
    0x1.3bcedf8176ef3p-23};

// R(t) = e^(t^2 / 2) Q(t) = s p(s - 5/4), Q the normal distribution beyond t,
// s = 10 / (t + 5), 0 <= t <= 15; relative error 2^-45.2
constant double kGelu[16] = {
    0x1.8e2d49b5b2209p-4, 0x1.92e34cf232e79p-4, 0x1.497c9d64eaed6p-4,
    0x1.b1088faa0d79bp-5, 0x1.be13c1731a68ap-6, 0x1.526151a7548fep-7,
    0x1.393fb8c85265fp-9, 0x1.c56ee2f505927p-17, -0x1.ab38154a30241p-13,
    -0x1.934924cf0e550p-15, 0x1.9065cd2753868p-17, 0x1.c7f074bdb6797p-18,
    -0x1.70c7df9dc4bc4p-21, -0x1.bce9e3f8ffcd8p-21, 0x1.8480902a95232p-25,
    0x1.614006186c316p-24};

// ln 2 / 16 as a sum
constant float kPowerStep[2] = {
    0x1.62e4300000000p-5f, -0x1.05c6100000000p-33f};
constant float kPowersPerUnit = 0x1.7154760000000p+4f;
// 2^(j / 16), less j 2^19 in their bits
constant float kPowers[16] = {
    0x1.0000000000000p+0f, 0x1.fb55860000000p-1f, 0x1.f72b840000000p-1f,
    0x1.f387a60000000p-1f, 0x1.f06fe00000000p-1f, 0x1.edea640000000p-1f,
    0x1.ebfdae0000000p-1f, 0x1.eab07e0000000p-1f, 0x1.ea09e60000000p-1f,
    0x1.ea11480000000p-1f, 0x1.eace540000000p-1f, 0x1.ec49180000000p-1f,
    0x1.ee89fa0000000p-1f, 0x1.f199be0000000p-1f, 0x1.f5818e0000000p-1f,
    0x1.fa4afa0000000p-1f};
// ln of what they lack, less a margin
constant float kPowerMargin = 0x1.6000000000000p-34f;
constant float kPowerOffsets[16] = {
    -0x1.6000000000000p-34f, 0x1.8ce6d40000000p-25f, -0x1.9ecc220000000p-27f,
    0x1.9599020000000p-25f, 0x1.11a0020000000p-25f, 0x1.365be40000000p-25f,
    -0x1.0ae5520000000p-25f, -0x1.0398ac0000000p-27f, 0x1.24a55c0000000p-26f,
    -0x1.067b440000000p-25f, 0x1.6221ca0000000p-28f, 0x1.9e35e40000000p-28f,
    -0x1.fc83060000000p-27f, -0x1.6ee1b40000000p-28f, -0x1.aaa17c0000000p-28f,
    0x1.5bc28e0000000p-28f};

// ln 2 as a sum; the first parts times integers below 2^11 are exact
constant double kLn2Parts[3] = {
    0x1.62e42fefa3800p-1, 0x1.ef35793c76000p-45, 0x1.cc01f97b57a08p-87};

// pi / 2 as a sum; the first parts times integers below 2^21 are exact
constant double kHalfPiParts[3] = {
    0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};

constant double kInverseLn2 = 0x1.71547652b82fep+0;
constant double kInversePi = 0x1.45f306dc9c883p-2;
constant double kTwoOverPi = 0x1.45f306dc9c883p-1;
constant double2 kHalfPi = (double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
constant double2 kTwoOverRootPi = (double2)(0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56);
constant double2 kInverseRootTwoPi = (double2)(0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56);

// 1 / n!
constant double2 kInverseFactorial[30] = {
    (double2)(0x1.0000000000000p+0, 0x0.0p+0), (double2)(0x1.0000000000000p+0, 0x0.0p+0), (double2)(0x1.0000000000000p-1, 0x0.0p+0),
    (double2)(0x1.5555555555555p-3, 0x1.5555555555555p-57), (double2)(0x1.5555555555555p-5, 0x1.5555555555555p-59), (double2)(0x1.1111111111111p-7, 0x1.1111111111111p-63),
    (double2)(0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65), (double2)(0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73), (double2)(0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76),
    (double2)(0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73), (double2)(0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76), (double2)(0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80),
    (double2)(0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83), (double2)(0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87), (double2)(0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92),
    (double2)(0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97), (double2)(0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101), (double2)(0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103),
    (double2)(0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107), (double2)(0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112), (double2)(0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120),
    (double2)(0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120), (double2)(0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124), (double2)(0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130),
    (double2)(0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135), (double2)(0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139), (double2)(0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd16540p-143),
    (double2)(0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149), (double2)(0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153), (double2)(0x1.259f98b4358adp-103, 0x1.eaf8c39dd9bc5p-157)};

// 1 / (2 n + 1)
constant double2 kInverseOdd[24] = {
    (double2)(0x1.0000000000000p+0, 0x0.0p+0), (double2)(0x1.5555555555555p-2, 0x1.5555555555555p-56), (double2)(0x1.999999999999ap-3, -0x1.999999999999ap-57),
    (double2)(0x1.2492492492492p-3, 0x1.2492492492492p-57), (double2)(0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58), (double2)(0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59),
    (double2)(0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58), (double2)(0x1.1111111111111p-4, 0x1.1111111111111p-60), (double2)(0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61),
    (double2)(0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59), (double2)(0x1.8618618618618p-5, 0x1.8618618618618p-59), (double2)(0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60),
    (double2)(0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61), (double2)(0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59), (double2)(0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61),
    (double2)(0x1.0842108421084p-5, 0x1.0842108421084p-60), (double2)(0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61), (double2)(0x1.d41d41d41d41dp-6, 0x1.0750750750750p-60),
    (double2)(0x1.bacf914c1bad0p-6, -0x1.bacf914c1bad0p-60), (double2)(0x1.a41a41a41a41ap-6, 0x1.0690690690690p-60), (double2)(0x1.8f9c18f9c18fap-6, -0x1.f3831f3831f38p-61),
    (double2)(0x1.7d05f417d05f4p-6, 0x1.7d05f417d05f4p-62), (double2)(0x1.6c16c16c16c17p-6, -0x1.f49f49f49f49fp-61), (double2)(0x1.5c9882b931057p-6, 0x1.310572620ae4cp-61)};

// 2 / pi in binary, behind two words for numbers below 1
constant uint kTwoOverPiBits[14] = {
    0, 0, 0xA2F9836E,
    0x4E441529, 0xFC2757D1, 0xF534DDC0,
    0xDB629599, 0x3C439041, 0xFE5163AB,
    0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
    0x06492EEA, 0x09D1921C};
