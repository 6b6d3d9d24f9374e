import { requireNumber, requireOptions } from '../errors.js';

/** What a Gaussian mechanism is asked for: (ε, δ) for a query of L2 sensitivity `sensitivity` (default 1). */
export interface GaussianRequest {
  /** In [1e-12, 1e6]; for the optimal noise alone also 0. */
  readonly epsilon: number;
  /** In [1e-300, 1). */
  readonly delta: number;
  /** In [1e-150, 1e150]. */
  readonly sensitivity?: number;
}

/** @throws TypeError | RangeError naming the option that is not in its range; `delta` must be below `deltaBelow`. */
export function requireRequest(
  request: GaussianRequest,
  deltaBelow = 1,
  zeroToo = false,
): Required<GaussianRequest> {
  requireOptions('a Gaussian mechanism', request, ['epsilon', 'delta', 'sensitivity']);
  return {
    epsilon: requireNumber('epsilon', request?.epsilon, `${zeroToo ? '0 or ' : ''}a number in [1e-12, 1e6]`),
    delta: requireDelta(request.delta, deltaBelow),
    sensitivity: requireNumber('sensitivity', request.sensitivity ?? 1, 'a number in [1e-150, 1e150]'),
  };
}

export function requireDelta(delta: unknown, below = 1): number {
  return requireNumber('delta', delta, `a number in [1e-300, ${below})`);
}
