/**
 * Seconds of processor time that are too many for one input: fifty times what the slowest takes. What fails is a
 * reader whose work is out of proportion, not a slow machine; being busy with something else costs no such time.
 */
export const LONG = 5;

/** Seconds of processor time, of all threads of this process, that `work` takes. */
export function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
