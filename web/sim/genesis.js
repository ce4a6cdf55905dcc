/**
 * Epoch 0: a barren obsidian world, one monolith, an orbiting invitation.
 *
 * Twin: godseed/sim/genesis.py
 */

import { Feature, GENESIS_WISH, featureId } from './feature.js';
import { once } from './spec.js';

/** Tool, arguments and seed of each genesis feature. */
export const GENESIS = [
  ['set_sky', { palette: 'void', star_density: 0.9, moons: 1 }, 7],
  ['raise_terrain', { lat: 12, lon: 40, radius_deg: 28, height: 0.05, roughness: 0.7 }, 11],
  ['place_structure', { lat: 14, lon: 38, kind: 'monolith', scale: 1.4, hue: 270 }, 13],
  ['inscribe_wish', { text: 'speak, and it will be made', style: 'orbit' }, 17],
];

/** The four features of epoch 0. */
export const genesisFeatures = once(() =>
  GENESIS.map(
    ([tool, args, seed], i) =>
      new Feature({ id: featureId(i), wish_id: GENESIS_WISH, tool, args, seed, t: 0 }),
  ),
);
