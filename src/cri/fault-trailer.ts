/** The trailer with the names of the fault rules that acted on a call; it has one value for each rule. */
export const FAULT_TRAILER = 'x-mockri-fault';
