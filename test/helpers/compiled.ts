import type { TestProject } from 'vitest/node';
import { compileModules } from '../../scripts/lib/modules.mjs';

/** Before the tests, and before they run again when a source has changed. */
export default function setup(project: TestProject): void {
  compileModules();
  project.onTestsRerun(compileModules);
}
