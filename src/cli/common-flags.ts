import { type Flags, toggle } from './flags.js';
import { ENGINE_FLAGS } from './run-source.js';

/** Options of every command. */
export const COMMON_FLAGS: Flags = {
  ...ENGINE_FLAGS,
  json: toggle('full-precision JSON instead of text'),
  help: { type: 'boolean', short: 'h', help: 'this text' },
  version: { type: 'boolean', short: 'V', help: 'the version of gdp-kernel' },
};
