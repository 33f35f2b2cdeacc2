/** Larger messages are refused in both directions, as by kubelet and containerd (cri-client maxMsgSize). */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;
