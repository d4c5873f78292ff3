// What the language server must not be able to do if a text takes it over: prints what came of each attempt.
const fs = require("fs");
const net = require("net");
const dgram = require("dgram");
const { spawnSync } = require("child_process");
const [repository, project] = process.argv.slice(1);

function spawned(program, ...words) {
    const ran = spawnSync(program, words);
    if (ran.error) throw ran.error;
}

const attempts = {
    "read /etc/passwd": () => fs.readFileSync("/etc/passwd"),
    "read the environment of its parent": () => fs.readFileSync(`/proc/${process.ppid}/environ`),
    "read the repository": () => fs.readFileSync(`${repository}/README.md`),
    "list the root": () => fs.readdirSync("/"),
    "list the temporary folder": () => fs.readdirSync("/tmp"),
    "write to the temporary folder": () => {
        const escaped = `/tmp/millwright-escaped-${process.pid}`;
        fs.writeFileSync(escaped, "");
        fs.unlinkSync(escaped);
    },
    "write beside the texts": () => fs.writeFileSync(`${project}/new.py`, ""),
    "change its rules": () => fs.appendFileSync(`${project}/pyrightconfig.json`, " "),
    "make a link": () => fs.symlinkSync("/etc/passwd", `${project}/link`),
    "start a shell": () => spawned("/bin/sh", "-c", "true"),
    "start itself": () => spawned(process.execPath, "-e", "0"),
    "signal its parent": () => process.kill(process.ppid, 0),
};
const told = {};
for (const [name, attempt] of Object.entries(attempts)) {
    try {
        attempt();
        told[name] = "DONE";
    } catch (error) {
        told[name] = error.code;
    }
}

const waits = [
    new Promise((tell) => {
        const socket = net.connect(9, "127.0.0.1");
        socket.on("error", (error) => tell(["connect", error.code]));
        socket.on("connect", () => tell(["connect", "DONE"]));
    }),
    new Promise((tell) => {
        const server = net.createServer();
        server.on("error", (error) => tell(["listen", error.code]));
        server.listen(0, "127.0.0.1", () => server.close(() => tell(["listen", "DONE"])));
    }),
    new Promise((tell) => {
        const socket = dgram.createSocket("udp4");
        socket.on("error", (error) => tell(["receive datagrams", error.code]));
        socket.bind(0, "127.0.0.1", () => socket.close(() => tell(["receive datagrams", "DONE"])));
    }),
];
Promise.all(waits).then((came) => {
    fs.writeSync(1, JSON.stringify({ ...told, ...Object.fromEntries(came) }));
    process.exit(0);
});
