/** Go's zero time in Unix nanoseconds, for events that never happened. */
export const NEVER = -6_795_364_578_871_345_152n;
