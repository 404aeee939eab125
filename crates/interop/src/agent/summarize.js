// OpenCode's server makes a session shorter, which its command line can't: start it, ask, stop it.
const { spawn } = require("child_process");
const [program, session, providerID, modelID] = process.argv.slice(1);
const server = spawn(program, ["serve", "--port", "0", "--hostname", "127.0.0.1"]);
let said = "";
let asked = false;
async function summarize(address) {
  const response = await fetch(`${address}/session/${session}/summarize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ providerID, modelID }),
  });
  console.log(response.status, await response.text());
}
function listen(data) {
  said += data;
  const address = said.match(/http:\/\/127\.0\.0\.1:\d+/);
  if (!address || asked) return;
  asked = true;
  summarize(address[0])
    .catch((error) => console.error(String(error)))
    .finally(() => server.kill());
}
server.stdout.on("data", listen);
server.stderr.on("data", listen);
server.on("exit", () => process.exit(0));
