import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { parseMechanism } from '../../src/index.js';

// Files share a process, so what one builds the next would know. Every file knows every kind from the start, in any order.
for (const json of EXAMPLES) parseMechanism(json);
