import type { SpectralLaw } from '../../src/methods/contour/step/spectral-law.js';

/** A law whose nodes are wrong by as much as they say, all to one side, or of which nothing but the modulus is known. */
export interface Doubt {
  readonly error?: number;
  readonly quadrature?: number;
  readonly axis?: number;
  readonly unknown?: number;
}

export function doubtful(
  law: SpectralLaw,
  { error = 0, quadrature = 0, axis = 0, unknown }: Doubt,
): SpectralLaw {
  return {
    ...law,
    cumulant: (c, count) => {
      const whole = law.cumulant(c, count);
      return { ...whole, value: whole.value + axis, error: whole.error + Math.abs(axis) };
    },
    line: (kernel, nodes, count) => {
      const { dTau, n } = nodes;
      const line = law.line(kernel, nodes, count)!;
      for (let k = 1; k < n; k++) {
        line.logModulus[k] += error + quadrature;
        line.error[k] += Math.abs(error);
        line.quadrature[k] += Math.abs(quadrature);
        if (unknown === undefined || k * dTau < unknown) continue;
        line.phase[k] += Math.PI;
        line.error[k] = Infinity;
      }
      return line;
    },
  };
}
