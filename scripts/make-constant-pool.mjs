// npm run make:pool: writes assembly/pool.simd.ts. A name added to the two-lane code and missing from the pool is a compile error: run this then.
import { writeFileSync } from 'node:fs';
import { constantPool, POOL } from './lib/constant-pool.mjs';

writeFileSync(POOL, constantPool());
