// Draws equations as long as its input lasts: a line of JSON asks, a line of JSON answers.
const katex = require(process.argv[2]);

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { latex, options } = JSON.parse(line);
    let answer;
    try {
      answer = { html: katex.renderToString(latex, options) };
    } catch (error) {
      answer = { error: error.message };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
