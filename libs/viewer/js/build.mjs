// Writes the bundle that is shipped: `npm ci && npm run build` in this folder.
import { copyFile } from "node:fs/promises";
import { build } from "esbuild";

const target = "../src/viewer/static";
await build({
  entryPoints: ["src/index.js"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "MillwrightViewer",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  banner: { js: "/* Millwright's viewer, Apache-2.0. Contains three.js, MIT: see LICENSE-three.txt. */" },
  outfile: `${target}/viewer.js`,
});
await copyFile("node_modules/three/LICENSE", `${target}/LICENSE-three.txt`);
