// Lighthouse in one browser for all pages: an address a line comes in, its scores and what cost points go out as JSON.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, chrome, ...flags] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/${path}`));
const { default: lighthouse, defaultConfig } = await load("lighthouse/core/index.js");
const { launch } = await load("chrome-launcher/dist/index.js");

const browser = await launch({ chromePath: chrome, chromeFlags: flags, logLevel: "silent" });
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
// The address is this machine's, so that a page has come as soon as it is quiet: what Lighthouse reports is simulated from that.
const QUIET = { pauseAfterFcpMs: 250, pauseAfterLoadMs: 250, networkQuietThresholdMs: 250, cpuQuietThresholdMs: 250 };
// Audits that count for no score are left out: a way back and forth, every insight, all unused bytes.
const audits = CATEGORIES.flatMap((name) => defaultConfig.categories[name].auditRefs);
const counted = new Set(audits.filter(({ weight }) => weight).map(({ id }) => id));
const skipAudits = audits.map(({ id }) => id).filter((id) => !counted.has(id));
const settings = {
  port: browser.port,
  onlyCategories: CATEGORIES,
  skipAudits,
  disableFullPageScreenshot: true,
  logLevel: "silent",
  ...QUIET,
};

for await (const address of createInterface({ input: process.stdin })) {
  const { lhr } = await lighthouse(address, settings);
  const scores = Object.fromEntries(
    CATEGORIES.map((name) => [name, Math.round(100 * (lhr.categories[name].score ?? 0))]),
  );
  const lost = CATEGORIES.flatMap((name) => lhr.categories[name].auditRefs)
    .filter(({ id, weight }) => weight && lhr.audits[id].score !== null && lhr.audits[id].score < 0.9)
    .map(({ id }) => `${id}: ${lhr.audits[id].displayValue || lhr.audits[id].title}`);
  process.stdout.write(`${JSON.stringify({ scores, lost, error: lhr.runtimeError?.message ?? "" })}\n`);
}
await browser.kill();
