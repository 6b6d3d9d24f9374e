/**
 * The constants of src/kernel/constants.ts in static memory, by address. V8 compiles a v128 load-splat of
 * a constant address to one instruction, but builds a splat of a literal from three, inside the loop:
 * 10 to 30 % of the time of these kernels. Written by `npm run make:pool`.
 */
import * as constants from '../src/kernel/constants.js';

const POOL: usize = memory.data<f64>([
  constants.AS241_A0,
  constants.AS241_A1,
  constants.AS241_A2,
  constants.AS241_A3,
  constants.AS241_A4,
  constants.AS241_A5,
  constants.AS241_A6,
  constants.AS241_A7,
  constants.AS241_B1,
  constants.AS241_B2,
  constants.AS241_B3,
  constants.AS241_B4,
  constants.AS241_B5,
  constants.AS241_B6,
  constants.AS241_B7,
  constants.AS241_FAR,
  constants.AS241_TAIL,
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
  constants.EXCESS_0,
  constants.EXCESS_1,
  constants.EXCESS_10,
  constants.EXCESS_11,
  constants.EXCESS_12,
  constants.EXCESS_13,
  constants.EXCESS_14,
  constants.EXCESS_15,
  constants.EXCESS_2,
  constants.EXCESS_3,
  constants.EXCESS_4,
  constants.EXCESS_5,
  constants.EXCESS_6,
  constants.EXCESS_7,
  constants.EXCESS_8,
  constants.EXCESS_9,
  constants.EXCESS_NEAR,
  constants.EXP_2,
  constants.EXP_3,
  constants.EXP_4,
  constants.EXP_5,
  constants.EXP_INVERSE_STEP,
  constants.EXP_PLAIN,
  constants.EXP_STEP_HI,
  constants.EXP_STEP_LO,
  constants.FIVE,
  constants.FOUR,
  constants.GRID,
  constants.GRID_STEP,
  constants.HALF,
  constants.INFINITY,
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
  constants.LOG_ERFC_ROUND,
  constants.LOG_ERFC_START,
  constants.MINUS_ONE,
  constants.NOT_A_NUMBER,
  constants.ONE,
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
  constants.SIX,
  constants.SIXTY_FOUR,
  constants.SIXTY_THREE,
  constants.SPLITTER,
  constants.SQRT1_2,
  constants.SQRT1_2_LOW,
  constants.SQRT2,
  constants.THREE,
  constants.TINY,
  constants.TWO,
  constants.TWO_52,
  constants.TWO_53,
  constants.TWO_54,
], 16);

export const AS241_A0: usize = POOL + 0;
export const AS241_A1: usize = POOL + 8;
export const AS241_A2: usize = POOL + 16;
export const AS241_A3: usize = POOL + 24;
export const AS241_A4: usize = POOL + 32;
export const AS241_A5: usize = POOL + 40;
export const AS241_A6: usize = POOL + 48;
export const AS241_A7: usize = POOL + 56;
export const AS241_B1: usize = POOL + 64;
export const AS241_B2: usize = POOL + 72;
export const AS241_B3: usize = POOL + 80;
export const AS241_B4: usize = POOL + 88;
export const AS241_B5: usize = POOL + 96;
export const AS241_B6: usize = POOL + 104;
export const AS241_B7: usize = POOL + 112;
export const AS241_FAR: usize = POOL + 120;
export const AS241_TAIL: usize = POOL + 128;
export const COS_1: usize = POOL + 136;
export const COS_2: usize = POOL + 144;
export const COS_3: usize = POOL + 152;
export const COS_4: usize = POOL + 160;
export const COS_5: usize = POOL + 168;
export const COS_6: usize = POOL + 176;
export const COS_7: usize = POOL + 184;
export const COS_8: usize = POOL + 192;
export const ERFC_END: usize = POOL + 200;
export const ERFC_UNSCALE: usize = POOL + 208;
export const EXCESS_0: usize = POOL + 216;
export const EXCESS_1: usize = POOL + 224;
export const EXCESS_10: usize = POOL + 232;
export const EXCESS_11: usize = POOL + 240;
export const EXCESS_12: usize = POOL + 248;
export const EXCESS_13: usize = POOL + 256;
export const EXCESS_14: usize = POOL + 264;
export const EXCESS_15: usize = POOL + 272;
export const EXCESS_2: usize = POOL + 280;
export const EXCESS_3: usize = POOL + 288;
export const EXCESS_4: usize = POOL + 296;
export const EXCESS_5: usize = POOL + 304;
export const EXCESS_6: usize = POOL + 312;
export const EXCESS_7: usize = POOL + 320;
export const EXCESS_8: usize = POOL + 328;
export const EXCESS_9: usize = POOL + 336;
export const EXCESS_NEAR: usize = POOL + 344;
export const EXP_2: usize = POOL + 352;
export const EXP_3: usize = POOL + 360;
export const EXP_4: usize = POOL + 368;
export const EXP_5: usize = POOL + 376;
export const EXP_INVERSE_STEP: usize = POOL + 384;
export const EXP_PLAIN: usize = POOL + 392;
export const EXP_STEP_HI: usize = POOL + 400;
export const EXP_STEP_LO: usize = POOL + 408;
export const FIVE: usize = POOL + 416;
export const FOUR: usize = POOL + 424;
export const GRID: usize = POOL + 432;
export const GRID_STEP: usize = POOL + 440;
export const HALF: usize = POOL + 448;
export const INFINITY: usize = POOL + 456;
export const LN2: usize = POOL + 464;
export const LN2_HI: usize = POOL + 472;
export const LN2_LO: usize = POOL + 480;
export const LN2_LOW: usize = POOL + 488;
export const LOG_3: usize = POOL + 496;
export const LOG_4: usize = POOL + 504;
export const LOG_4PI: usize = POOL + 512;
export const LOG_5: usize = POOL + 520;
export const LOG_6: usize = POOL + 528;
export const LOG_BIAS: usize = POOL + 536;
export const LOG_ERFC_ROUND: usize = POOL + 544;
export const LOG_ERFC_START: usize = POOL + 552;
export const MINUS_ONE: usize = POOL + 560;
export const NOT_A_NUMBER: usize = POOL + 568;
export const ONE: usize = POOL + 576;
export const PHI0_1: usize = POOL + 584;
export const PHI0_2: usize = POOL + 592;
export const PHI0_3: usize = POOL + 600;
export const PHI0_4: usize = POOL + 608;
export const PHI0_5: usize = POOL + 616;
export const PHI0_6: usize = POOL + 624;
export const PHI0_7: usize = POOL + 632;
export const PHI0_8: usize = POOL + 640;
export const PHI0_9: usize = POOL + 648;
export const PHI1_0: usize = POOL + 656;
export const PHI1_1: usize = POOL + 664;
export const PHI1_2: usize = POOL + 672;
export const PHI1_3: usize = POOL + 680;
export const PHI1_4: usize = POOL + 688;
export const PHI1_5: usize = POOL + 696;
export const PHI1_6: usize = POOL + 704;
export const PHI1_7: usize = POOL + 712;
export const PHI2_0: usize = POOL + 720;
export const PHI2_1: usize = POOL + 728;
export const PHI2_2: usize = POOL + 736;
export const PHI2_3: usize = POOL + 744;
export const PHI2_4: usize = POOL + 752;
export const QUANTILE_LOG_LOWER: usize = POOL + 760;
export const QUANTILE_LOG_UPPER: usize = POOL + 768;
export const ROUND: usize = POOL + 776;
export const SIN_0: usize = POOL + 784;
export const SIN_0_LOW: usize = POOL + 792;
export const SIN_1: usize = POOL + 800;
export const SIN_2: usize = POOL + 808;
export const SIN_3: usize = POOL + 816;
export const SIN_4: usize = POOL + 824;
export const SIN_5: usize = POOL + 832;
export const SIN_6: usize = POOL + 840;
export const SIN_7: usize = POOL + 848;
export const SIX: usize = POOL + 856;
export const SIXTY_FOUR: usize = POOL + 864;
export const SIXTY_THREE: usize = POOL + 872;
export const SPLITTER: usize = POOL + 880;
export const SQRT1_2: usize = POOL + 888;
export const SQRT1_2_LOW: usize = POOL + 896;
export const SQRT2: usize = POOL + 904;
export const THREE: usize = POOL + 912;
export const TINY: usize = POOL + 920;
export const TWO: usize = POOL + 928;
export const TWO_52: usize = POOL + 936;
export const TWO_53: usize = POOL + 944;
export const TWO_54: usize = POOL + 952;
