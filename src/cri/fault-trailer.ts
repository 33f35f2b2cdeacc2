/** The trailer with the names of the fault rules that acted on a call; it has one value for each rule. */
export const FAULT_TRAILER = 'x-mockri-fault';

/**
 * The same from a server behind this one. That server is a runtime like any other: its replies are judged, although
 * a fault made them.
 */
export const INNER_FAULT_TRAILER = 'x-mockri-inner-fault';
