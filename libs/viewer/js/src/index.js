// The bundle's entry: `createViewer`, `link`, `inflated` and `ViewHistory` of `MillwrightViewer`. README.md describes the data.

import { ViewHistory } from "./history.js";
import { readNpz } from "./npz.js";
import { Viewer, showFailure } from "./viewer.js";

/**
 * Build a viewer in an element; the promise is fulfilled when everything is drawn once.
 *
 * It is rejected, and the element has the reason, if the data cannot be read or the browser has no WebGL.
 */
export async function createViewer(root, data) {
  try {
    const [scene, arrays] = await Promise.all([sceneOf(data), arraysOf(data)]);
    return new Viewer(root, scene, arrays, data);
  } catch (error) {
    showFailure(root, `The 3D view cannot be shown: ${error.message}`);
    throw error;
  }
}

/** Let two viewers share time and camera; return a function that parts them. */
export function link(first, second) {
  let isLinked = true;
  let isBusy = false;
  const follow = (from, to) => {
    const share = (act) => () => {
      if (!isLinked || isBusy) return;
      isBusy = true;
      act();
      isBusy = false;
    };
    from.onTime(share(() => to.seek(from.timeS)));
    const camera = () => {
      const { position } = from.stage.camera;
      to.setCamera([...position.toArray(), ...from.stage.controls.target.toArray()]);
    };
    from.stage.controls.addEventListener("change", share(camera));
  };
  follow(first, second);
  follow(second, first);
  return () => {
    isLinked = false;
  };
}

export { ViewHistory };

async function sceneOf({ scene, sceneUrl }) {
  if (sceneUrl) return (await fetched(sceneUrl)).json();
  if (typeof scene === "string") return JSON.parse(scene);
  if (scene instanceof Uint8Array) return JSON.parse(new TextDecoder().decode(scene));
  return scene;
}

async function arraysOf({ trajectory, trajectoryUrl }) {
  if (trajectoryUrl) return readNpz(new Uint8Array(await (await fetched(trajectoryUrl)).arrayBuffer()));
  return trajectory ? readNpz(trajectory) : null;
}

async function fetched(url) {
  const answer = await fetch(url, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}

/** Return the bytes of a base64 text that was compressed with gzip. */
export async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
