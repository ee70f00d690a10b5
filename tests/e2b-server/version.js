// What an envd of some version can. Nothing here is about which version a sandbox has.

const SINCE = {
  recursiveWatch: '0.1.4',
  stdinChoice: '0.3.0',
  defaultUser: '0.4.0',
  closeStdin: '0.5.2',
  octetStream: '0.5.7',
  discard: '0.5.19', // Output without a reader goes away, where it blocked the process before.
  metadata: '0.6.2',
  watchEntry: '0.6.3',
  retainedEnd: '0.6.12',
  exhausted: '0.8.0', // Whoever cannot fork says resource_exhausted, not invalid_argument.
};

export function isVersion(text) {
  return /^\d+\.\d+\.\d+$/.test(text);
}

function atLeast(version, least) {
  const [ours, theirs] = [version, least].map((text) => text.split('.').map(Number));
  const at = ours.findIndex((part, index) => part !== theirs[index]);
  return at < 0 || ours[at] > theirs[at];
}

export function can(version, feature) {
  return atLeast(version, SINCE[feature]);
}
