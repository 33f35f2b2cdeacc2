/** The endpoint cannot be tested at all; the message has the reason. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
