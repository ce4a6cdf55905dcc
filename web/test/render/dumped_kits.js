/** Kit meshes written by dump_frames.py, in the place of web/sim/kits.js. */

import { readDump } from './dump.js';

const folder = new URLSearchParams(location.search).get('frames');
const { kits } = await readDump(`${folder}/kits`);

export const kitNames = () => kits.map(({ name }) => name);
export const kit = (stem) => kits.find(({ name }) => name === stem);
export const kitMesh = (stem, glow) => kit(stem)[glow ? 'glow' : 'solid'];
