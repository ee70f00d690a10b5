// The command line, read into settings.

import { parseArgs } from 'node:util';

import { isVersion } from './version.js';

const TEXT = { type: 'string' };
const OPTIONS = {
  port: TEXT, host: TEXT, 'envd-version': TEXT, api: TEXT, 'v2-refusal': TEXT, codec: TEXT,
  'api-key': TEXT, domain: TEXT, template: { type: 'string', multiple: true }, 'max-hours': TEXT,
  'max-sandboxes': TEXT, 'max-connections': TEXT, 'transition-ms': TEXT, 'retain-ms': TEXT,
  'clock-skew-s': TEXT, path: TEXT, root: TEXT, faults: TEXT, 'tls-cert': TEXT,
  'tls-key': TEXT, standalone: TEXT, direct: { type: 'boolean' },
  help: { type: 'boolean' },
};

export const USAGE = `Usage: node server.js [OPTION]...
A server that speaks the API of E2B and envd, with faults on order, for tests on this machine.

  --port N             the API's; the sandboxes' is N + 1, admin's N + 2 (0: any, the default)
  --host ADDRESS       where to listen (127.0.0.1)
  --envd-version V     what the sandboxes say and do (0.6.13)
  --api v1|v2          v1 has no create and connect of version 2 (v2)
  --v2-refusal STATUS  what v1 answers to those (404)
  --codec both|json-only
  --api-key KEY        the one that is good
  --domain NAME        told to clients as the domain of sandboxes
  --template NAME      one that exists; may be repeated (base)
  --max-hours N        of a sandbox's life (24)
  --max-sandboxes N    at once (1000)
  --max-connections N  into one sandbox (0: any number)
  --transition-ms N    that pausing and resuming take (0)
  --retain-ms N        that the end of a process is kept (30000)
  --clock-skew-s=N     what the server's clock is ahead (0)
  --path PATH          PATH of programs in the sandboxes (the server's)
  --root DIR           where the sandboxes' folders go (the folder for temporary files)
  --faults FILE        faults that are ordered from the beginning
  --tls-cert FILE --tls-key FILE
                       speak HTTPS
  --standalone PORT    an envd by itself too, without a token, as E2B_DEBUG wants it at 49983
  --direct             lets /init through, as if envd were asked without the edge
`;

const DEFAULTS = {
  port: '0', host: '127.0.0.1', 'envd-version': '0.6.13', api: 'v2', 'v2-refusal': '404',
  codec: 'both', 'api-key': `e2b_${'0123456789abcdef'.repeat(2)}01234567`, template: ['base'],
  'max-hours': '24', 'max-sandboxes': '1000', 'max-connections': '0', 'transition-ms': '0',
  'retain-ms': '30000', 'clock-skew-s': '0', path: process.env.PATH, direct: false, help: false,
};

const CHOICES = { api: ['v1', 'v2'], codec: ['both', 'json-only'], 'v2-refusal': ['404', '405'] };
const NUMBERS = ['port', 'v2-refusal', 'max-hours', 'max-sandboxes', 'max-connections',
  'transition-ms', 'retain-ms', 'clock-skew-s', 'standalone'];

const camel = (name) => name.replace(/-(\w)/g, (all, letter) => letter.toUpperCase());

// Throws with one line for the user.
export function readOptions(args) {
  const { values } = parseArgs({ args, options: OPTIONS, strict: true });
  const chosen = { domain: null, root: null, faults: null, 'tls-cert': null, 'tls-key': null,
    standalone: null, ...DEFAULTS, ...values };
  for (const [name, words] of Object.entries(CHOICES)) {
    if (!words.includes(chosen[name])) throw new Error(`--${name} is one of ${words.join(', ')}`);
  }
  for (const name of NUMBERS.filter((one) => chosen[one] !== null)) {
    const isGood = name === 'clock-skew-s' ? /^-?\d{1,9}$/ : /^\d{1,9}$/;
    if (!isGood.test(chosen[name])) throw new Error(`--${name} takes a number`);
  }
  if (Number(chosen.port) > 65533) throw new Error('--port leaves no room for three');
  if (!isVersion(chosen['envd-version'])) throw new Error('--envd-version is like 0.6.13');
  if ((chosen['tls-cert'] === null) !== (chosen['tls-key'] === null)) {
    throw new Error('--tls-cert and --tls-key go together');
  }
  return Object.fromEntries(Object.entries(chosen).map(([name, value]) => {
    const isNumber = NUMBERS.includes(name) && value !== null;
    return [camel(name === 'template' ? 'templates' : name), isNumber ? Number(value) : value];
  }));
}
