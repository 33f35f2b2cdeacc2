/** The endpoint can't be judged at all; the message says why. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
