/** A kubelet sends it in Version, and every runtime returns it. */
export const KUBELET_API_VERSION = '0.1.0';
