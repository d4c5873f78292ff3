// A payload's path as a tube, and its earlier poses as ghosts.

import { CatmullRomCurve3, Mesh, MeshBasicMaterial, MeshStandardMaterial, TubeGeometry } from "three";
import { PAYLOAD, TRAIL } from "./palette.js";

const GHOSTS = 9;
const SIDES = 6;
const LEAST_STEP_SHARE = 0.003;

export class Trail {
  /** `track`: that of the payload in the replay; null for a scene that is at rest. */
  constructor(replay, track, payloadGeometry, trailGroup, ghostGroup) {
    const points = replay.path(track);
    const travelled = distances(points);
    const total = travelled[travelled.length - 1] ?? 0;
    if (total === 0) return;
    this.kept = keptSamples(travelled, total * LEAST_STEP_SHARE);
    const radius = total * 0.0022;
    const curve = new CatmullRomCurve3(this.kept.map((sample) => points[sample]), false, "centripetal");
    const tube = () => new TubeGeometry(curve, this.kept.length - 1, radius, SIDES);
    this.whole = new Mesh(tube(), new MeshBasicMaterial({ color: TRAIL, transparent: true, opacity: 0.25, depthWrite: false }));
    this.travelled = new Mesh(tube(), new MeshBasicMaterial({ color: TRAIL }));
    trailGroup.add(this.whole, this.travelled);
    this.ghosts = Array.from({ length: GHOSTS }, (_, ghost) => {
      const sample = travelled.findIndex((way) => way >= (ghost / GHOSTS) * total);
      const look = { color: PAYLOAD, transparent: true, depthWrite: false, roughness: 1 };
      const mesh = new Mesh(payloadGeometry, new MeshStandardMaterial(look));
      mesh.position.copy(track.position(sample));
      mesh.quaternion.copy(track.quaternion(sample));
      mesh.userData.sample = sample;
      ghostGroup.add(mesh);
      return mesh;
    });
  }

  /** Show the path and the ghosts up to a place of the replay more strongly than the rest. */
  apply({ sample }) {
    if (!this.travelled) return;
    const segments = this.kept.filter((each) => each <= sample).length - 1;
    this.travelled.geometry.setDrawRange(0, Math.max(0, segments) * SIDES * 6);
    for (const ghost of this.ghosts) ghost.material.opacity = ghost.userData.sample <= sample ? 0.4 : 0.16;
  }
}

function distances(points) {
  let way = 0;
  return points.map((point, index) => (way += index ? point.distanceTo(points[index - 1]) : 0));
}

/** Return the samples between which the payload moved: a tube needs different points. */
function keptSamples(travelled, leastStep) {
  const kept = [0];
  travelled.forEach((way, sample) => {
    if (way - travelled[kept[kept.length - 1]] >= leastStep) kept.push(sample);
  });
  return kept;
}
