/**
 * The constants of src/kernel/constants.ts in static memory, by address. V8 compiles a v128 load-splat of
 * a constant address to one instruction, but builds a splat of a literal from three, inside the loop:
 * 10 to 30 % of the time of these kernels. Written by `node scripts/make-constant-pool.mjs`.
 */
// biome-ignore-all format: generated
import { COS_1, COS_2, COS_3, COS_4, COS_5, COS_6, COS_7, COS_8, ERFC_END, ERFC_UNSCALE, EXP_2, EXP_3, EXP_4, EXP_5, EXP_INVERSE_STEP, EXP_PLAIN, EXP_STEP_HI, EXP_STEP_LO, LN2, LN2_HI, LN2_LO, LN2_LOW, LOG_3, LOG_4, LOG_4PI, LOG_5, LOG_6, LOG_BIAS, PHI0_1, PHI0_2, PHI0_3, PHI0_4, PHI0_5, PHI0_6, PHI0_7, PHI0_8, PHI0_9, PHI1_0, PHI1_1, PHI1_2, PHI1_3, PHI1_4, PHI1_5, PHI1_6, PHI1_7, PHI2_0, PHI2_1, PHI2_2, PHI2_3, PHI2_4, QUANTILE_LOG_LOWER, QUANTILE_LOG_UPPER, ROUND, SIN_0, SIN_0_LOW, SIN_1, SIN_2, SIN_3, SIN_4, SIN_5, SIN_6, SIN_7, SPLITTER, SQRT1_2, SQRT1_2_LOW, SQRT2, TINY, TWO_52, TWO_54 } from '../src/kernel/constants';

const POOL: usize = memory.data<f64>([
  COS_1, COS_2, COS_3, COS_4, COS_5, COS_6, COS_7, COS_8, ERFC_END, ERFC_UNSCALE, EXP_2, EXP_3, EXP_4, EXP_5, EXP_INVERSE_STEP, EXP_PLAIN, EXP_STEP_HI, EXP_STEP_LO, LN2, LN2_HI, LN2_LO, LN2_LOW, LOG_3, LOG_4, LOG_4PI, LOG_5, LOG_6, LOG_BIAS, PHI0_1, PHI0_2, PHI0_3, PHI0_4, PHI0_5, PHI0_6, PHI0_7, PHI0_8, PHI0_9, PHI1_0, PHI1_1, PHI1_2, PHI1_3, PHI1_4, PHI1_5, PHI1_6, PHI1_7, PHI2_0, PHI2_1, PHI2_2, PHI2_3, PHI2_4, QUANTILE_LOG_LOWER, QUANTILE_LOG_UPPER, ROUND, SIN_0, SIN_0_LOW, SIN_1, SIN_2, SIN_3, SIN_4, SIN_5, SIN_6, SIN_7, SPLITTER, SQRT1_2, SQRT1_2_LOW, SQRT2, TINY, TWO_52, TWO_54,
], 16);

const AT_COS_1: usize = POOL + 0;
const AT_COS_2: usize = POOL + 8;
const AT_COS_3: usize = POOL + 16;
const AT_COS_4: usize = POOL + 24;
const AT_COS_5: usize = POOL + 32;
const AT_COS_6: usize = POOL + 40;
const AT_COS_7: usize = POOL + 48;
const AT_COS_8: usize = POOL + 56;
const AT_ERFC_END: usize = POOL + 64;
const AT_ERFC_UNSCALE: usize = POOL + 72;
const AT_EXP_2: usize = POOL + 80;
const AT_EXP_3: usize = POOL + 88;
const AT_EXP_4: usize = POOL + 96;
const AT_EXP_5: usize = POOL + 104;
const AT_EXP_INVERSE_STEP: usize = POOL + 112;
const AT_EXP_PLAIN: usize = POOL + 120;
const AT_EXP_STEP_HI: usize = POOL + 128;
const AT_EXP_STEP_LO: usize = POOL + 136;
const AT_LN2: usize = POOL + 144;
const AT_LN2_HI: usize = POOL + 152;
const AT_LN2_LO: usize = POOL + 160;
const AT_LN2_LOW: usize = POOL + 168;
const AT_LOG_3: usize = POOL + 176;
const AT_LOG_4: usize = POOL + 184;
const AT_LOG_4PI: usize = POOL + 192;
const AT_LOG_5: usize = POOL + 200;
const AT_LOG_6: usize = POOL + 208;
const AT_LOG_BIAS: usize = POOL + 216;
const AT_PHI0_1: usize = POOL + 224;
const AT_PHI0_2: usize = POOL + 232;
const AT_PHI0_3: usize = POOL + 240;
const AT_PHI0_4: usize = POOL + 248;
const AT_PHI0_5: usize = POOL + 256;
const AT_PHI0_6: usize = POOL + 264;
const AT_PHI0_7: usize = POOL + 272;
const AT_PHI0_8: usize = POOL + 280;
const AT_PHI0_9: usize = POOL + 288;
const AT_PHI1_0: usize = POOL + 296;
const AT_PHI1_1: usize = POOL + 304;
const AT_PHI1_2: usize = POOL + 312;
const AT_PHI1_3: usize = POOL + 320;
const AT_PHI1_4: usize = POOL + 328;
const AT_PHI1_5: usize = POOL + 336;
const AT_PHI1_6: usize = POOL + 344;
const AT_PHI1_7: usize = POOL + 352;
const AT_PHI2_0: usize = POOL + 360;
const AT_PHI2_1: usize = POOL + 368;
const AT_PHI2_2: usize = POOL + 376;
const AT_PHI2_3: usize = POOL + 384;
const AT_PHI2_4: usize = POOL + 392;
const AT_QUANTILE_LOG_LOWER: usize = POOL + 400;
const AT_QUANTILE_LOG_UPPER: usize = POOL + 408;
const AT_ROUND: usize = POOL + 416;
const AT_SIN_0: usize = POOL + 424;
const AT_SIN_0_LOW: usize = POOL + 432;
const AT_SIN_1: usize = POOL + 440;
const AT_SIN_2: usize = POOL + 448;
const AT_SIN_3: usize = POOL + 456;
const AT_SIN_4: usize = POOL + 464;
const AT_SIN_5: usize = POOL + 472;
const AT_SIN_6: usize = POOL + 480;
const AT_SIN_7: usize = POOL + 488;
const AT_SPLITTER: usize = POOL + 496;
const AT_SQRT1_2: usize = POOL + 504;
const AT_SQRT1_2_LOW: usize = POOL + 512;
const AT_SQRT2: usize = POOL + 520;
const AT_TINY: usize = POOL + 528;
const AT_TWO_52: usize = POOL + 536;
const AT_TWO_54: usize = POOL + 544;

export { AT_COS_1 as COS_1, AT_COS_2 as COS_2, AT_COS_3 as COS_3, AT_COS_4 as COS_4, AT_COS_5 as COS_5, AT_COS_6 as COS_6, AT_COS_7 as COS_7, AT_COS_8 as COS_8, AT_ERFC_END as ERFC_END, AT_ERFC_UNSCALE as ERFC_UNSCALE, AT_EXP_2 as EXP_2, AT_EXP_3 as EXP_3, AT_EXP_4 as EXP_4, AT_EXP_5 as EXP_5, AT_EXP_INVERSE_STEP as EXP_INVERSE_STEP, AT_EXP_PLAIN as EXP_PLAIN, AT_EXP_STEP_HI as EXP_STEP_HI, AT_EXP_STEP_LO as EXP_STEP_LO, AT_LN2 as LN2, AT_LN2_HI as LN2_HI, AT_LN2_LO as LN2_LO, AT_LN2_LOW as LN2_LOW, AT_LOG_3 as LOG_3, AT_LOG_4 as LOG_4, AT_LOG_4PI as LOG_4PI, AT_LOG_5 as LOG_5, AT_LOG_6 as LOG_6, AT_LOG_BIAS as LOG_BIAS, AT_PHI0_1 as PHI0_1, AT_PHI0_2 as PHI0_2, AT_PHI0_3 as PHI0_3, AT_PHI0_4 as PHI0_4, AT_PHI0_5 as PHI0_5, AT_PHI0_6 as PHI0_6, AT_PHI0_7 as PHI0_7, AT_PHI0_8 as PHI0_8, AT_PHI0_9 as PHI0_9, AT_PHI1_0 as PHI1_0, AT_PHI1_1 as PHI1_1, AT_PHI1_2 as PHI1_2, AT_PHI1_3 as PHI1_3, AT_PHI1_4 as PHI1_4, AT_PHI1_5 as PHI1_5, AT_PHI1_6 as PHI1_6, AT_PHI1_7 as PHI1_7, AT_PHI2_0 as PHI2_0, AT_PHI2_1 as PHI2_1, AT_PHI2_2 as PHI2_2, AT_PHI2_3 as PHI2_3, AT_PHI2_4 as PHI2_4, AT_QUANTILE_LOG_LOWER as QUANTILE_LOG_LOWER, AT_QUANTILE_LOG_UPPER as QUANTILE_LOG_UPPER, AT_ROUND as ROUND, AT_SIN_0 as SIN_0, AT_SIN_0_LOW as SIN_0_LOW, AT_SIN_1 as SIN_1, AT_SIN_2 as SIN_2, AT_SIN_3 as SIN_3, AT_SIN_4 as SIN_4, AT_SIN_5 as SIN_5, AT_SIN_6 as SIN_6, AT_SIN_7 as SIN_7, AT_SPLITTER as SPLITTER, AT_SQRT1_2 as SQRT1_2, AT_SQRT1_2_LOW as SQRT1_2_LOW, AT_SQRT2 as SQRT2, AT_TINY as TINY, AT_TWO_52 as TWO_52, AT_TWO_54 as TWO_54 };
