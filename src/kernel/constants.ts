/**
 * Numeric constants of the kernel's text, which both engines are made from. The assembler reads this file too: it may hold only numeric `export
 * const`s.
 *
 * Fitted coefficients come from `python3 scripts/fit-polynomials.py constants` (mpmath, 60 digits, Chebyshev nodes, rounded to double).
 */

// Constants that two-lane code loads from memory, which is faster than a literal (scripts/lib/constant-pool.mjs).
export const MINUS_ONE = -1.0;
export const HALF = 0.5;
export const ONE = 1.0;
export const TWO = 2.0;
export const THREE = 3.0;
export const FOUR = 4.0;
export const FIVE = 5.0;
export const SIX = 6.0;
export const SIXTY_THREE = 63.0;
export const SIXTY_FOUR = 64.0;
export const INFINITY = Infinity;
export const NOT_A_NUMBER = NaN;
/** Its sign bit flips that of a number, by exclusive or. */
export const NEGATIVE_ZERO = -0.0;
/** 1.5·2⁵²: adding and subtracting it rounds |x| < 2⁵¹ to the nearest integer, ties to even. */
export const ROUND = 6755399441055744.0;
/** 2⁵²: adding it rounds 0 ≤ x < 2⁵² to an integer. */
export const TWO_52 = 4503599627370496.0;
/** u = 2⁻⁵³, the unit roundoff: one operation errs by at most u, relatively. */
export const U = 1.1102230246251565e-16;
/** log 10. */
export const LN10 = 2.302585092994046;
/** 2²⁷ + 1: Dekker's splitting factor. */
export const SPLITTER = 134217729.0;
/** 2⁵³: from here on every double is an even integer. */
export const TWO_53 = 9007199254740992.0;
export const TWO_54 = 18014398509481984.0;
/** 2⁻⁵⁴: below it expm1(x), log1p(x) round to x. */
export const TINY = 5.551115123125783e-17;

// e^x: k = rint(256x/ln 2), x = k·ln2/256 + r. The step ln2/256 is HI + LO, HI with 34 significant bits, so k·HI is exact.
export const EXP_INVERSE_STEP = 369.3299304675746;
export const EXP_STEP_HI = 0.002707606173999011;
export const EXP_STEP_LO = 6.327543041662719e-14;
export const EXP_CLAMP = 800.0;
/** For |x| up to this, e^x and the terms it is summed from are normal doubles. */
export const EXP_PLAIN = 600.0;
// Taylor coefficients 1/n!, |r| ≤ ln2/512: relative remainder of e^r − 1 below 6.6e-18.
export const EXP_2 = 0.5;
export const EXP_3 = 0.16666666666666666;
export const EXP_4 = 0.041666666666666664;
export const EXP_5 = 0.008333333333333333;

// log(x) for x = 2^k·m is k·ln 2 + log m. ln 2 = HI + LO, HI with 32 significant bits, so k·HI is exact.
export const LN2_HI = 0.6931471803691238;
export const LN2_LO = 1.9082149292705877e-10;
/** High word of the double at which the cells of log's table begin: 11/16 plus three quarters of a cell. */
export const LOG_ORIGIN = 0x3fe60c00;
// log(1 + r) = r − r²/2 + r³ Q(r), −0.0026 ≤ r ≤ 0.003; relative error of Q 3.3e-12.
/** 2⁵² + 1023: subtracting it from 2⁵² + e, e the exponent bits of a double, gives the exponent e − 1023. */
export const LOG_BIAS = 4503599627371519.0;
export const LOG_3 = 0.33333333333228105;
export const LOG_4 = -0.2500000004422003;
export const LOG_5 = 0.20000108534814492;
export const LOG_6 = -0.16655340989530412;

// sin(πr), cos(πr), |r| ≤ 1/4: Taylor coefficients (−1)ⁿ π^(2n+1)/(2n+1)! and (−1)ⁿ π^(2n)/(2n)!.
export const SIN_0 = 3.141592653589793;
export const SIN_0_LOW = 1.2246467991473532e-16;
export const SIN_1 = -5.16771278004997;
export const SIN_2 = 2.5501640398773455;
export const SIN_3 = -0.5992645293207921;
export const SIN_4 = 0.08214588661112823;
export const SIN_5 = -0.0073704309457143504;
export const SIN_6 = 0.00046630280576761255;
export const SIN_7 = -2.1915353447830217e-5;
export const COS_1 = -4.934802200544679;
export const COS_2 = 4.0587121264167685;
export const COS_3 = -1.3352627688545895;
export const COS_4 = 0.2353306303588932;
export const COS_5 = -0.02580689139001406;
export const COS_6 = 0.0019295743094039231;
export const COS_7 = -0.0001046381049248457;
export const COS_8 = 4.303069587032947e-6;

// Constants as doubles; LOW is the difference to the exact value.
export const LN2 = 0.6931471805599453;
export const LN2_LOW = 2.3190468138462996e-17;
export const SQRT1_2 = 0.7071067811865476;
export const SQRT1_2_LOW = -4.833646656726457e-17;
export const SQRT2 = 1.4142135623730951;
export const TWO_OVER_SQRT_PI = 1.1283791670955126;
export const TWO_OVER_SQRT_PI_LOW = 1.533545961316588e-17;
export const LOG_4PI = 2.5310242469692907;
export const SQRT_2PI = 2.5066282746310007;
export const INVERSE_SQRT_2PI = 0.3989422804014327;
export const INVERSE_2PI = 0.15915494309189535;

// Powers of two by which parts of the Gaussian profile are scaled where they would over- or underflow, and 600·ln 2.
export const POW_M1000 = 9.332636185032189e-302;
export const POW_M900 = 1.1830521861667747e-271;
export const POW_M800 = 1.499696813895631e-241;
export const POW_M600 = 2.409919865102884e-181;
export const POW_M400 = 3.8725919148493183e-121;
export const POW_M300 = 4.909093465297727e-91;
export const POW_300 = 2.037035976334486e90;
export const POW_400 = 2.5822498780869086e120;
export const POW_500 = 3.273390607896142e150;
export const POW_600 = 4.149515568880993e180;
export const POW_900 = 8.452712498170644e270;
export const LN2_600 = 415.88830833596717;

// The inverse μ of the Gaussian profile, by Halley's method. A step below MU_LAST_STEP is the last, as the error left is of the order of its cube. A
// step in plain float64 comes first where μ is in 2⁻²⁰ … 2²⁰. The difference R(t) − R(t + μ) of Mills ratios, t = ε/μ − μ/2, must also be at least
// 2⁻²⁰ of R(t).
export const MU_LAST_STEP = 9.5367431640625e-7;
export const MU_ITERATIONS = 80;
export const MU_NEAR_LEAST = 9.5367431640625e-7;
export const MU_NEAR_MOST = 1048576.0;

/** Number of consecutive terms of the sum in `logMgf` that share one computed exponential, where steps of the exponent are small. */
export const SCAN_BLOCK = 64;
/**
 * Number of consecutive frequencies whose e^{iτy} is computed by rotation from one exact value; and of losses y whose terms are summed before they
 * join the total.
 */
export const CHARACTERISTIC_BLOCK = 32;
/** Largest error of the log of a density for which its total variation is bounded (docs/proofs/contour.md 12). */
export const DENSITY_ERROR = 1e-6;

// Tables: the index of each one's first number in the array of `specialTables()`. Those of erfc and log erfc are filled by `errorTables()`.
/**
 * 256 pairs (h, l), h(1 + l) = 2^(j/256). h is stored with j subtracted from the top 8 bits of its fraction; adding k there for
 * k = 256n + j gives 2ⁿ·h.
 */
export const EXP_TABLE = 0;
/** 256 pairs (1/c, c), c a point of each cell of log, then 256 pairs (log c to 2⁻⁴², the difference to log c). */
export const LOG_TABLE = 512;
export const LOG_CELLS = 256;
/** 64 rows of 8 coefficients (erfcx-table.ts). */
export const ERFCX_TABLE = 1536;
/** 3521 pairs 2¹²⁸·(erfc r, 2/√π·e^{−r²}), 0 ≤ r ≤ ERFC_END. */
export const ERFC_TABLE = 2048;
/** The last r of the grid; erfc is below the smallest double before it. */
export const ERFC_END = 27.5;
export const ERFC_CELLS = 3520;
/** 4353 pairs (log erfc r, h(r) = 2/√π·e^{−r²}/erfc r), LOG_ERFC_START ≤ r ≤ ERFC_END. */
export const LOG_ERFC_TABLE = 9090;
export const LOG_ERFC_START = -6.5;
export const LOG_ERFC_ORIGIN = 832;
export const LOG_ERFC_CELLS = 4352;
/** ROUND + LOG_ERFC_ORIGIN, which rounds and shifts to the table's index at once. */
export const LOG_ERFC_ROUND = 6755399441056576.0;
/** Number of grid cells in a unit interval; GRID_STEP is their width. */
export const GRID = 128.0;
export const GRID_STEP = 0.0078125;
/** 64 rows of 8 coefficients of Mills' ratio, and 32 rows of 16 of its divided difference (mills-table.ts). */
export const RATIO_TABLE = 17796;
export const DIVIDED_TABLE = 18308;
export const TABLE_LENGTH = 18820;
/** Scale of the erfc table: 2¹²⁸ keeps its entries, and every intermediate of a subnormal result, normal. */
export const ERFC_SCALE = 3.4028236692093846e38;
/** 2⁻¹²⁸: undoes the scaling of the erfc table. */
export const ERFC_UNSCALE = 2.938735877055719e-39;

// Coefficients of an integral over part of a cell of erfc's grid, φ₀(z) − b φ₁(z) + b² φ₂(z) − … = ∫₀¹ e^{−zt−bt²} dt. φ_m(z) is the series Σ
// (−z)ⁿ/(n! m! (n + 2m + 1)). For |z| ≤ 0.215 and b ≤ 1.6e-5 the errors of the fits are 2.1e-17, 8.2e-14·b and 1.3e-8·b². The next term −b³/42 is
// included at b = 1.26e-5 by PHI2_0 = 0.1 − b/42.
export const PHI0_1 = -0.5;
export const PHI0_2 = 0.16666666666665553;
export const PHI0_3 = -0.04166666666666574;
export const PHI0_4 = 0.008333333335262448;
export const PHI0_5 = -0.0013888888890496323;
export const PHI0_6 = 0.0001984125814591207;
export const PHI0_7 = -2.480157755633901e-5;
export const PHI0_8 = 2.758625706032064e-6;
export const PHI0_9 = -2.7581432430285583e-7;
export const PHI1_0 = 0.33333333333325316;
export const PHI1_1 = -0.24999999999999184;
export const PHI1_2 = 0.10000000005556695;
export const PHI1_3 = -0.027777777783436545;
export const PHI1_4 = 0.00595237493674027;
export const PHI1_5 = -0.0010416660540444906;
export const PHI1_6 = 0.000154529364237346;
export const PHI1_7 = -1.9862491212976887e-5;
export const PHI2_0 = 0.0999997;
export const PHI2_1 = -0.08333305530960317;
export const PHI2_2 = 0.0357142436009807;
export const PHI2_3 = -0.010440741848355896;
export const PHI2_4 = 0.0023184617726337417;

// Normal quantile: M. J. Wichura, Algorithm AS 241, PPND16, Appl. Statist. 37 (1988) 477–484: numerator A and
// denominator 1 + B of the centre; assembly/functions/quantile.ts has those of the tails. The literals are the published ones.
/** Half width in p of the central region of Wichura's AS 241. */
export const AS241_CENTRAL = 0.425;
export const AS241_CENTRAL_SQUARE = 0.180625;
/** The √(−log p) around which AS 241 expands its near tail. Beyond −log p = AS241_FAR another formula replaces AS 241. */
export const AS241_TAIL = 1.6;
export const AS241_FAR = 729.0;
export const AS241_A0 = 3.3871328727963665;
export const AS241_A1 = 133.14166789178438;
export const AS241_A2 = 1971.5909503065513;
export const AS241_A3 = 13731.69376550946;
export const AS241_A4 = 45921.95393154987;
export const AS241_A5 = 67265.7709270087;
export const AS241_A6 = 33430.57558358813;
export const AS241_A7 = 2509.0809287301227;
export const AS241_B1 = 42.31333070160091;
export const AS241_B2 = 687.1870074920579;
export const AS241_B3 = 5394.196021424751;
export const AS241_B4 = 21213.794301586597;
export const AS241_B5 = 39307.89580009271;
export const AS241_B6 = 28729.085735721943;
export const AS241_B7 = 5226.495278852854;
/** log 0.075 and log 0.925, between which normalQuantileLog uses the formula of the centre. Any nearby values serve. */
export const QUANTILE_LOG_LOWER = -2.590267165445825;
export const QUANTILE_LOG_UPPER = -0.07796154146971184;

// e^t − 1 − t = Σ_{n≥2} tⁿ/n!, |t| < EXCESS_NEAR, by the terms to n = 17 (EXP_2 … EXP_17). The next term is below 1e-18 of the first.
export const EXCESS_NEAR = 0.7;
export const EXP_6 = 0.001388888888888889;
export const EXP_7 = 0.0001984126984126984;
export const EXP_8 = 2.48015873015873e-5;
export const EXP_9 = 2.7557319223985893e-6;
export const EXP_10 = 2.755731922398589e-7;
export const EXP_11 = 2.505210838544172e-8;
export const EXP_12 = 2.08767569878681e-9;
export const EXP_13 = 1.6059043836821613e-10;
export const EXP_14 = 1.1470745597729725e-11;
export const EXP_15 = 7.647163731819816e-13;
export const EXP_16 = 4.779477332387385e-14;
export const EXP_17 = 2.8114572543455206e-15;

/** 1/π, by which radians become half turns. */
export const INVERSE_PI = 0.3183098861837907;
/** ½ log 2π. */
export const HALF_LOG_2PI = 0.9189385332046728;

/**
 * Sampled Gaussians with a larger μ or a smaller rate are not truncated. At larger μ the integrand e^{iτL} oscillates too fast, at smaller rates
 * contours are too long. Only speed and width depend on them.
 */
export const LARGEST_CUT_MU = 8;
export const SMALLEST_CUT_RATE = 1e-7;

/** Codes that replace μ in the laws of steps that are not sampled Gaussians. */
export const MIXTURE = 0.0;
export const EXPONENTIAL = -1.0;
export const ATOMS = -2.0;
export const EPOCHS = -3.0;
export const BLEND = -4.0;
/**
 * Memory, in numbers of 8 bytes, for a question about a run of up to ROOM_PHASES phases. Longer runs take several times as much, MOST_ROOMS times
 * at most.
 */
export const QUESTION_ROOM = 2097152;
export const ROOM_PHASES = 6;
export const MOST_ROOMS = 16.0;
