/**
 * What rendering reports to its users.
 *
 * Twin: godseed/render/errors.py
 */

/** A frame or picture cannot be made from what was asked; the text says what to change. */
export class RenderError extends Error {
  name = 'RenderError';
}
