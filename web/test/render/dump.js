/** Reads what dump_frames.py has written. */

const TYPES = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array };

/** The document of `<stem>.json` with arrays of `<stem>.bin` in their places. */
export async function readDump(stem) {
  const [document, bytes] = await Promise.all([
    fetch(`${stem}.json`).then((answer) => answer.json()),
    fetch(`${stem}.bin`).then((answer) => answer.arrayBuffer()),
  ]);
  const restore = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(restore);
    if ('at' in value && 'type' in value) {
      const type = TYPES[value.type];
      const end = value.at + value.length * type.BYTES_PER_ELEMENT;
      return new type(bytes.slice(value.at, end));
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, restore(each)]));
  };
  return restore(document);
}
