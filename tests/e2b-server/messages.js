// The messages of envd's services: which field has which number and type. Nothing else knows them.

// A field is `name=number type`. `*` behind the type: repeated. `?`: its absence is told from its
// zero; a word behind that names the oneof it belongs to. Messages are told from absence anyway.
const process = {
  PTY: ['size=1 process.PTY.Size'],
  'PTY.Size': ['cols=1 uint32', 'rows=2 uint32'],
  ProcessConfig: ['cmd=1 string', 'args=2 string*', 'envs=3 map', 'cwd=4 string?'],
  ProcessSelector: ['pid=1 uint32?selector', 'tag=2 string?selector'],
  ProcessInput: ['stdin=1 bytes?input', 'pty=2 bytes?input'],
  ProcessInfo: ['config=1 process.ProcessConfig', 'pid=2 uint32', 'tag=3 string?'],
  ProcessEvent: [
    'start=1 process.ProcessEvent.StartEvent?event',
    'data=2 process.ProcessEvent.DataEvent?event',
    'end=3 process.ProcessEvent.EndEvent?event',
    'keepalive=4 process.ProcessEvent.KeepAlive?event',
  ],
  'ProcessEvent.StartEvent': ['pid=1 uint32'],
  'ProcessEvent.DataEvent': [
    'stdout=1 bytes?output', 'stderr=2 bytes?output', 'pty=3 bytes?output',
  ],
  'ProcessEvent.EndEvent': ['exitCode=1 sint32', 'exited=2 bool', 'status=3 string',
    'error=4 string?'],
  'ProcessEvent.KeepAlive': [],
  ListRequest: [],
  ListResponse: ['processes=1 process.ProcessInfo*'],
  StartRequest: ['process=1 process.ProcessConfig', 'pty=2 process.PTY', 'tag=3 string?',
    'stdin=4 bool?'],
  StartResponse: ['event=1 process.ProcessEvent'],
  ConnectRequest: ['process=1 process.ProcessSelector'],
  ConnectResponse: ['event=1 process.ProcessEvent'],
  UpdateRequest: ['process=1 process.ProcessSelector', 'pty=2 process.PTY'],
  UpdateResponse: [],
  SendInputRequest: ['process=1 process.ProcessSelector', 'input=2 process.ProcessInput'],
  SendInputResponse: [],
  StreamInputRequest: [
    'start=1 process.StreamInputRequest.StartEvent?event',
    'data=2 process.StreamInputRequest.DataEvent?event',
    'keepalive=3 process.StreamInputRequest.KeepAlive?event',
  ],
  'StreamInputRequest.StartEvent': ['process=1 process.ProcessSelector'],
  'StreamInputRequest.DataEvent': ['input=2 process.ProcessInput'],
  'StreamInputRequest.KeepAlive': [],
  StreamInputResponse: [],
  SendSignalRequest: ['process=1 process.ProcessSelector', 'signal=2 process.Signal'],
  SendSignalResponse: [],
  CloseStdinRequest: ['process=1 process.ProcessSelector'],
  CloseStdinResponse: [],
};

const filesystem = {
  EntryInfo: ['name=1 string', 'type=2 filesystem.FileType', 'path=3 string', 'size=4 int64',
    'mode=5 uint32', 'permissions=6 string', 'owner=7 string', 'group=8 string',
    'modifiedTime=9 timestamp', 'symlinkTarget=10 string?', 'metadata=11 map'],
  StatRequest: ['path=1 string'],
  StatResponse: ['entry=1 filesystem.EntryInfo'],
  MakeDirRequest: ['path=1 string'],
  MakeDirResponse: ['entry=1 filesystem.EntryInfo'],
  MoveRequest: ['source=1 string', 'destination=2 string'],
  MoveResponse: ['entry=1 filesystem.EntryInfo'],
  ListDirRequest: ['path=1 string', 'depth=2 uint32'],
  ListDirResponse: ['entries=1 filesystem.EntryInfo*'],
  RemoveRequest: ['path=1 string'],
  RemoveResponse: [],
  FilesystemEvent: ['name=1 string', 'type=2 filesystem.EventType',
    'entry=3 filesystem.EntryInfo'],
  WatchDirRequest: ['path=1 string', 'recursive=2 bool', 'includeEntry=3 bool',
    'allowNetworkMounts=4 bool'],
  WatchDirResponse: [
    'start=1 filesystem.WatchDirResponse.StartEvent?event',
    'filesystem=2 filesystem.FilesystemEvent?event',
    'keepalive=3 filesystem.WatchDirResponse.KeepAlive?event',
  ],
  'WatchDirResponse.StartEvent': [],
  'WatchDirResponse.KeepAlive': [],
  CreateWatcherRequest: ['path=1 string', 'recursive=2 bool', 'includeEntry=3 bool',
    'allowNetworkMounts=4 bool'],
  CreateWatcherResponse: ['watcherId=1 string'],
  GetWatcherEventsRequest: ['watcherId=1 string'],
  GetWatcherEventsResponse: ['events=1 filesystem.FilesystemEvent*'],
  RemoveWatcherRequest: ['watcherId=1 string'],
  RemoveWatcherResponse: [],
};

export const enums = new Map(Object.entries({
  'process.Signal': { SIGNAL_UNSPECIFIED: 0, SIGNAL_SIGKILL: 9, SIGNAL_SIGTERM: 15 },
  'filesystem.FileType': { FILE_TYPE_UNSPECIFIED: 0, FILE_TYPE_FILE: 1, FILE_TYPE_DIRECTORY: 2,
    FILE_TYPE_SYMLINK: 3 },
  'filesystem.EventType': { EVENT_TYPE_UNSPECIFIED: 0, EVENT_TYPE_CREATE: 1, EVENT_TYPE_WRITE: 2,
    EVENT_TYPE_REMOVE: 3, EVENT_TYPE_RENAME: 4, EVENT_TYPE_CHMOD: 5 },
}));

const SCALARS = ['string', 'bytes', 'bool', 'uint32', 'sint32', 'int64', 'map', 'timestamp'];

function readField(text) {
  const [, name, number, type, mark, oneof] = /^(\w+)=(\d+) ([\w.]+)([*?]?)(\w*)$/.exec(text);
  let kind = type;
  if (!SCALARS.includes(type)) kind = enums.has(type) ? 'enum' : 'message';
  return { name, number: Number(number), type, kind, repeated: mark === '*', present: mark === '?',
    oneof };
}

// Full name of a message -> its fields, in the order of their numbers.
export const messages = new Map();
for (const [prefix, some] of Object.entries({ process, filesystem })) {
  for (const [name, fields] of Object.entries(some)) {
    messages.set(`${prefix}.${name}`, fields.map(readField));
  }
}
