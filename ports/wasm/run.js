// run.js PROGRAM.wasm: prints what it puts; the exit code is what its function `run` returns.
const fs = require("fs");
let text = "";
const port = { put: (c) => { text += String.fromCharCode(c); } };
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const code = new WebAssembly.Instance(module_, { port }).exports.run();
process.stdout.write(text, () => process.exit(code));
