/** Whether the long tests run (`npm run test:long`): sweeps then take all their cases. */
export const LONG_TESTS = process.env['GDP_LONG_TESTS'] === '1';
