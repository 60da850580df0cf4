// Passes requests on to the server at argv[2] with the token in argv[3], and prints its own address: the conformance client can
// send no header of its own. Where a request names this address, the server is given its own.
import { createServer, request as send } from "node:http";

const [, , url, token] = process.argv;
const server = new URL(url);

createServer((asked, answer) => {
  const own = `:${asked.socket.localPort}`;
  const headers = { ...asked.headers, authorization: `Bearer ${token}` };
  for (const name of ["host", "origin"]) {
    if (headers[name]?.endsWith(own)) headers[name] = headers[name].slice(0, -own.length) + `:${server.port}`;
  }
  const passed = send(
    { host: server.hostname, port: server.port, path: asked.url, method: asked.method, headers },
    (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    },
  );
  passed.on("error", () => answer.destroy());
  asked.pipe(passed);
}).listen(0, "127.0.0.1", function () {
  console.log(`http://localhost:${this.address().port}${server.pathname}`);
});
