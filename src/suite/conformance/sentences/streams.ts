import { NAMES, type Sentences } from './holder.js';

/** The sentences of exec, attach, port-forward and logs. */
export const streams: Sentences = {
  ExecSyncRequest: {
    'Describes the command to run.': NAMES,
  },
  'ExecSyncRequest.cmd': {
    'Program and arguments; no shell.': ['INV-43.split', 'INV-43.no-command'],
  },
  'ExecSyncRequest.timeout': {
    'Seconds until the command is killed and DEADLINE_EXCEEDED answered; 0 waits for ever.': [
      'INV-43.timeout',
    ],
  },
  ExecSyncResponse: {
    'How the command ended.': ['INV-43.split'],
  },
  'ExecSyncResponse.stdout': {
    'At most 16 MiB.': ['INV-43.limit', 'INV-43.binary'],
  },
  'ExecSyncResponse.stderr': {
    'At most 16 MiB.': ['INV-43.limit', 'INV-43.split'],
  },
  ExecRequest: {
    'Describes the command and its streams.': NAMES,
    'At least one stream has to be asked for.': ['INV-44.validation'],
  },
  'ExecRequest.cmd': {
    'Program and arguments; no shell.': ['INV-64.exec-SPDY', 'INV-64.exec-WebSocket'],
  },
  'ExecRequest.tty': {
    'One terminal for all streams; stderr has to be off.': [
      'INV-44.validation',
      'INV-64.resize-SPDY',
      'INV-64.resize-WebSocket',
    ],
  },
  ExecResponse: {
    'Where the streams are.': NAMES,
  },
  'ExecResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  AttachRequest: {
    'Says which streams to attach to.': NAMES,
    'At least one has to be asked for.': ['INV-44.validation'],
  },
  'AttachRequest.tty': {
    "As in the container's config; stderr has to be off then.": [
      'INV-44.validation',
      'INV-64.attach-resize-SPDY',
      'INV-64.attach-resize-WebSocket',
    ],
  },
  AttachResponse: {
    'Where the streams are.': NAMES,
  },
  'AttachResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  PortForwardRequest: {
    'Names the sandbox to connect to.': NAMES,
  },
  'PortForwardRequest.port': {
    'Only for the WebSocket form; SPDY streams name their port themselves.': ['INV-64.port-forward'],
  },
  PortForwardResponse: {
    'Where the streams are.': NAMES,
  },
  'PortForwardResponse.url': {
    'Absolute; good for one connection, for a short time.': ['INV-45'],
  },
  ReopenContainerLogRequest: {
    'Names the container whose log was moved.': NAMES,
  },
  ReopenContainerLogResponse: {
    'Says only that it is done.': NAMES,
  },
};
