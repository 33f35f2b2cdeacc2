export interface EventOptions {
  /**
   * What happens when a subscriber's queue is full: `disconnect` ends its stream with an error, `drop` drops the new
   * event for it (CRI-O), `block` blocks the RPCs that cause events (containerd since 2.0).
   */
  readonly overflow: 'disconnect' | 'drop' | 'block';
  readonly queueSize: number;
  /** Keeps events without a subscriber for the next one (containerd: for five minutes). */
  readonly replay: boolean;
}

/** A subscriber that is 1,000 events behind is disconnected; nothing is replayed. */
export const defaultEventOptions: EventOptions = {
  overflow: 'disconnect',
  queueSize: 1000,
  replay: false,
};
