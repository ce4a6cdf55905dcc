/**
 * Typed arrays that grow at the end and share storage with their shorter selves.
 *
 * Twin: godseed/sim/growing.py
 */

/** An immutable view of the first numbers of a shared array; `append` gives a longer one. */
export class Growing {
  /**
   * @param {{data: Float64Array | Float32Array | Int32Array, used: number}} store shared by all
   *   views
   */
  constructor(store, length) {
    this.store = store;
    this.length = length;
  }

  /** Start from existing numbers. */
  static of(data) {
    return new Growing({ data, used: data.length }, data.length);
  }

  /** The numbers; read only. */
  get view() {
    return this.store.data.subarray(0, this.length);
  }

  /** A view that is longer by these numbers; this one stays as it is. */
  append(numbers) {
    let { store } = this;
    const length = this.length + numbers.length;
    if (store.used !== this.length || length > store.data.length) {
      const data = new store.data.constructor(Math.max(2 * length, 16));
      data.set(this.view);
      store = { data, used: this.length };
    }
    store.data.set(numbers, this.length);
    store.used = length;
    return new Growing(store, length);
  }
}
