/** The trailer that names the fault rules which took part in a reply; it has one value for each rule. */
export const FAULT_TRAILER = 'x-mockri-fault';
