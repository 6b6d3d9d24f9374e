import { erfcx, log, logNormalCdf } from './scalar.js';

/** From here on the tail is that of erfcx. */
const FAR = 3;

/** log(1 − Φ(x)) to a few roundings of itself. Far out it asks erfcx, whose table is short, where logNormalCdf asks for long ones, which take a while to make. */
export function logNormalTail(x: number): number {
  return x > FAR ? log(0.5 * erfcx(x * Math.SQRT1_2)) - (x * x) / 2 : logNormalCdf(-x);
}
