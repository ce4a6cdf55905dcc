/**
 * The data that both twins read, and the single door to it.
 *
 * The files lie in `godseed/spec`; the page gets them from `/spec/`, Node from the disk. `loadSpec`
 * reads them all once, then `spec` gives them without waiting. The objects are shared: read them,
 * never change them.
 *
 * Twin: godseed/spec/__init__.py
 */

export const SPEC_FILES = [
  'tools.json',
  'constants.json',
  'palettes.json',
  'materials.json',
  'postprocess.json',
  'town_names.json',
  'glyphs.json',
  'glyph_pages.json',
  'kits/structures.json',
  'kits/nature.json',
];

const loaded = new Map();

/**
 * Read every JSON file of the specification.
 *
 * @param {string | ((name: string) => Promise<string>)} source address of the folder, or a function
 *   that reads one file
 */
export async function loadSpec(source) {
  const read = typeof source === 'function' ? source : (name) => fetched(`${source}/${name}`);
  const texts = await Promise.all(SPEC_FILES.map(read));
  SPEC_FILES.forEach((name, i) => loaded.set(name, JSON.parse(texts[i])));
}

/** One parsed JSON file of the specification, such as `tools.json`. */
export function spec(name) {
  const found = loaded.get(name);
  if (found === undefined) {
    throw new Error(
      `spec: ${name} is not loaded; expected one of ${SPEC_FILES.join(', ')}; await loadSpec first`,
    );
  }
  return found;
}

/** The numbers that both twins share: section name -> constant name -> value. */
export function constants() {
  return spec('constants.json');
}

/** Wrap a function of nothing, or of one string or number, so that it computes each result once. */
export function once(compute) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok)
    throw new Error(
      `spec: ${address} answers ${answer.status}; expected the file; check the server`,
    );
  return answer.text();
}
