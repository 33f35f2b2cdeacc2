/** Messages of more bytes are refused in both directions, as kubelet and containerd do (cri-client maxMsgSize). */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;
