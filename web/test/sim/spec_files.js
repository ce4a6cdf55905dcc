/** Loads the specification of this checkout; import it before anything that reads `spec`. */

import { readFile } from 'node:fs/promises';

import { loadSpec } from '../../sim/spec.js';

await loadSpec((name) =>
  readFile(new URL(`../../../godseed/spec/${name}`, import.meta.url), 'utf8'),
);
