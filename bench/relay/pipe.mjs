/** The yardstick: what a Node server costs that only passes on, with node:http and nothing else. Prints its port. */
import { Agent, createServer, request } from 'node:http';

const upstream = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

const server = createServer((incoming, answer) => {
  const onward = request(
    {
      host: '127.0.0.1',
      port: upstream,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
      agent,
    },
    (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    },
  );
  onward.on('error', () => answer.destroy());
  incoming.pipe(onward);
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
