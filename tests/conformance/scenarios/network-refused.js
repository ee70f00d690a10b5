const told = [];
const said = async (name, ask) => {
  try {
    await ask();
    told.push(`${name} went through`);
  } catch (error) {
    if (error.message !== 'the network is off for this program' || error.code !== 'ENETUNREACH')
      told.push(`${name}: ${error}`);
  }
};
const event = (make) =>
  new Promise((go, no) => {
    const made = make().on('error', no);
    for (const name of ['connect', 'secureConnect', 'listening', 'response']) made.on(name, go);
  });
const answer = (ask) => new Promise((go, no) => ask((error) => (error ? no(error) : go())));
const [net, tls, http, https, http2, dgram, dns] = ['net', 'tls', 'http', 'https', 'http2', 'dgram',
  'dns'].map((name) => require(`node:${name}`));
await said('fetch', () => fetch('http://127.0.0.1:9/'));
await said('net', () => event(() => net.connect(9, '127.0.0.1')));
await said('a name', () => event(() => net.createConnection({ port: 9, host: 'localhost' })));
await said('a socket', () => event(() => new net.Socket().connect(9)));
await said('tls', () => event(() => tls.connect(9, '127.0.0.1')));
await said('http', () => event(() => http.get('http://127.0.0.1:9/')));
await said('http by name', () => event(() => http.get('http://example.com/')));
await said('https', () => event(() => https.get('https://127.0.0.1:9/')));
await said('http2', () => event(() => http2.connect('http://127.0.0.1:9')));
await said('listen', () => event(() => net.createServer().listen(0)));
await said('http listen', () => event(() => http.createServer().listen(0)));
await said('inspector', () => require('node:inspector').open(0));
await said('bind', () => event(() => dgram.createSocket('udp4').bind(0)));
const udp = dgram.createSocket('udp4');
await said('send', () => answer((go) => udp.send('x', 9, '127.0.0.1', go)));
udp.close();
await said('lookup', () => answer((go) => dns.lookup('localhost', go)));
await said('resolve', () => answer((go) => dns.resolve('localhost', go)));
await said('resolve4', () => answer((go) => dns.resolve4('localhost', go)));
await said('a resolver', () => answer((go) => new dns.Resolver().reverse('127.0.0.1', go)));
await said('promises', () => dns.promises.lookup('localhost'));
await said('a resolver of promises', () => new dns.promises.Resolver().resolveMx('localhost'));
await said('imported', async () => (await import('node:dns/promises')).lookup('localhost'));
await said('imported connect', async () => {
  const { connect } = await import('node:net');
  return event(() => connect(9));
});
for (const name of ['WebSocket', 'EventSource'])
  if (globalThis[name]) await said(name, () => new globalThis[name]('ws://127.0.0.1:9'));
return told;
