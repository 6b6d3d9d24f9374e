/**
 * The constants of src/kernel/constants.ts in static memory, by address. V8 compiles a v128 load-splat of
 * a constant address to one instruction, but builds a splat of a literal from three, inside the loop:
 * 10 to 30 % of the time of these kernels. Written by `npm run make:pool`.
 */
import * as constants from '../src/kernel/constants';

const POOL: usize = memory.data<f64>([
  constants.COS_1,
  constants.COS_2,
  constants.COS_3,
  constants.COS_4,
  constants.COS_5,
  constants.COS_6,
  constants.COS_7,
  constants.COS_8,
  constants.ERFC_END,
  constants.ERFC_UNSCALE,
  constants.EXP_2,
  constants.EXP_3,
  constants.EXP_4,
  constants.EXP_5,
  constants.EXP_INVERSE_STEP,
  constants.EXP_PLAIN,
  constants.EXP_STEP_HI,
  constants.EXP_STEP_LO,
  constants.LN2,
  constants.LN2_HI,
  constants.LN2_LO,
  constants.LN2_LOW,
  constants.LOG_3,
  constants.LOG_4,
  constants.LOG_4PI,
  constants.LOG_5,
  constants.LOG_6,
  constants.LOG_BIAS,
  constants.PHI0_1,
  constants.PHI0_2,
  constants.PHI0_3,
  constants.PHI0_4,
  constants.PHI0_5,
  constants.PHI0_6,
  constants.PHI0_7,
  constants.PHI0_8,
  constants.PHI0_9,
  constants.PHI1_0,
  constants.PHI1_1,
  constants.PHI1_2,
  constants.PHI1_3,
  constants.PHI1_4,
  constants.PHI1_5,
  constants.PHI1_6,
  constants.PHI1_7,
  constants.PHI2_0,
  constants.PHI2_1,
  constants.PHI2_2,
  constants.PHI2_3,
  constants.PHI2_4,
  constants.QUANTILE_LOG_LOWER,
  constants.QUANTILE_LOG_UPPER,
  constants.ROUND,
  constants.SIN_0,
  constants.SIN_0_LOW,
  constants.SIN_1,
  constants.SIN_2,
  constants.SIN_3,
  constants.SIN_4,
  constants.SIN_5,
  constants.SIN_6,
  constants.SIN_7,
  constants.SPLITTER,
  constants.SQRT1_2,
  constants.SQRT1_2_LOW,
  constants.SQRT2,
  constants.TINY,
  constants.TWO_52,
  constants.TWO_54,
], 16);

export const COS_1: usize = POOL + 0;
export const COS_2: usize = POOL + 8;
export const COS_3: usize = POOL + 16;
export const COS_4: usize = POOL + 24;
export const COS_5: usize = POOL + 32;
export const COS_6: usize = POOL + 40;
export const COS_7: usize = POOL + 48;
export const COS_8: usize = POOL + 56;
export const ERFC_END: usize = POOL + 64;
export const ERFC_UNSCALE: usize = POOL + 72;
export const EXP_2: usize = POOL + 80;
export const EXP_3: usize = POOL + 88;
export const EXP_4: usize = POOL + 96;
export const EXP_5: usize = POOL + 104;
export const EXP_INVERSE_STEP: usize = POOL + 112;
export const EXP_PLAIN: usize = POOL + 120;
export const EXP_STEP_HI: usize = POOL + 128;
export const EXP_STEP_LO: usize = POOL + 136;
export const LN2: usize = POOL + 144;
export const LN2_HI: usize = POOL + 152;
export const LN2_LO: usize = POOL + 160;
export const LN2_LOW: usize = POOL + 168;
export const LOG_3: usize = POOL + 176;
export const LOG_4: usize = POOL + 184;
export const LOG_4PI: usize = POOL + 192;
export const LOG_5: usize = POOL + 200;
export const LOG_6: usize = POOL + 208;
export const LOG_BIAS: usize = POOL + 216;
export const PHI0_1: usize = POOL + 224;
export const PHI0_2: usize = POOL + 232;
export const PHI0_3: usize = POOL + 240;
export const PHI0_4: usize = POOL + 248;
export const PHI0_5: usize = POOL + 256;
export const PHI0_6: usize = POOL + 264;
export const PHI0_7: usize = POOL + 272;
export const PHI0_8: usize = POOL + 280;
export const PHI0_9: usize = POOL + 288;
export const PHI1_0: usize = POOL + 296;
export const PHI1_1: usize = POOL + 304;
export const PHI1_2: usize = POOL + 312;
export const PHI1_3: usize = POOL + 320;
export const PHI1_4: usize = POOL + 328;
export const PHI1_5: usize = POOL + 336;
export const PHI1_6: usize = POOL + 344;
export const PHI1_7: usize = POOL + 352;
export const PHI2_0: usize = POOL + 360;
export const PHI2_1: usize = POOL + 368;
export const PHI2_2: usize = POOL + 376;
export const PHI2_3: usize = POOL + 384;
export const PHI2_4: usize = POOL + 392;
export const QUANTILE_LOG_LOWER: usize = POOL + 400;
export const QUANTILE_LOG_UPPER: usize = POOL + 408;
export const ROUND: usize = POOL + 416;
export const SIN_0: usize = POOL + 424;
export const SIN_0_LOW: usize = POOL + 432;
export const SIN_1: usize = POOL + 440;
export const SIN_2: usize = POOL + 448;
export const SIN_3: usize = POOL + 456;
export const SIN_4: usize = POOL + 464;
export const SIN_5: usize = POOL + 472;
export const SIN_6: usize = POOL + 480;
export const SIN_7: usize = POOL + 488;
export const SPLITTER: usize = POOL + 496;
export const SQRT1_2: usize = POOL + 504;
export const SQRT1_2_LOW: usize = POOL + 512;
export const SQRT2: usize = POOL + 520;
export const TINY: usize = POOL + 528;
export const TWO_52: usize = POOL + 536;
export const TWO_54: usize = POOL + 544;
