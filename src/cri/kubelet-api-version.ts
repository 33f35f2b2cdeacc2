/** Version of the kubelet runtime API: a kubelet sends it in Version, and every runtime answers it. */
export const KUBELET_API_VERSION = '0.1.0';
