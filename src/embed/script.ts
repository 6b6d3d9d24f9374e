// dist/embed.js: what a host finds in its global object once it has run the script.
import { VERSION } from '../version.js';
import { ask } from './ask.js';
import { addLacking } from './lacking.js';

addLacking();
Object.assign(globalThis, { gdpKernel: { ask, version: VERSION } });
