// Where a camera must be to show points: in a direction as near as shows all, and in the direction that hides least.

import { Raycaster, Vector3 } from "three";

export const FIELD_OF_VIEW_DEG = 35;
export const ISO = [-0.62, -1, 0.62];
const MARGIN = 1.12;
const CENTRINGS = 6;
const TURNS_DEG = [0, 60, -60, 30, -30, 90, -90, 120, -120, 150, -150, 180];
const ELEVATIONS_DEG = [28, 42, 58, 74, 86];
const FULLY_SEEN = 0.999;
const ENOUGH_ACROSS = 0.8;
const UP = new Vector3(0, 0, 1);

/**
 * Return `{position, target}` of the nearest camera that shows all points, seen from the direction `away` of a target.
 *
 * `aspect`: width over height of the picture. `leastMm`: the least distance.
 */
export function fitted(points, away, aspect, leastMm = 1) {
  const forward = away.clone().normalize().negate();
  const right = forward.clone().cross(UP).normalize();
  const axes = [right, right.clone().cross(forward)];
  const tangent = Math.tan((FIELD_OF_VIEW_DEG * Math.PI) / 360) / MARGIN;
  const widest = [tangent * aspect, tangent];
  const target = middleOf(points);
  let distance = leastMm;
  for (let round = 0; round <= CENTRINGS; round += 1) {
    const places = points.map((point) => placeOf(point.clone().sub(target), axes, forward));
    distance = Math.max(leastMm, ...places.map(({ across, depth }) => Math.max(...across.map((way, axis) => Math.abs(way) / widest[axis])) - depth));
    if (round === CENTRINGS) break;
    axes.forEach((axis, number) => {
      const seen = places.map(({ across, depth }) => across[number] / (depth + distance));
      target.addScaledVector(axis, ((Math.min(...seen) + Math.max(...seen)) / 2) * distance);
    });
  }
  return { position: target.clone().addScaledVector(forward, -distance), target };
}

function placeOf(offset, axes, forward) {
  return { across: axes.map((axis) => offset.dot(axis)), depth: offset.dot(forward) };
}

function middleOf(points) {
  const [low, high] = [points[0].clone(), points[0].clone()];
  for (const point of points) {
    low.min(point);
    high.max(point);
  }
  return low.add(high).multiplyScalar(0.5);
}

/**
 * Return the direction from which most can be seen; of equal ones that nearest to the usual view.
 *
 * `subjects`: `payload`, `path`, `goal` and `machine`, each as points; what is seen least counts most. `walls` and
 * `parts`: meshes that may hide them. Parts count less, and not for the machine, which must hide some of itself.
 */
export function clearestDirection(points, { machine, ...others }, walls, parts, aspect) {
  let best = { score: -Infinity };
  for (const elevation of ELEVATIONS_DEG) {
    for (const away of directionsAt(elevation)) {
      const { position } = fitted(points, away, aspect);
      const byWalls = [...Object.values(others), machine].map((group) => seenShare(group, position, walls));
      const byParts = Object.values(others).map((group) => seenShare(group, position, parts));
      const score = 4 * Math.min(...byWalls) + mean(byWalls) + mean(byParts) + acrossShare(others, away) - elevation / 200;
      if (score > best.score) best = { score, away, isClear: byWalls.every((share) => share > FULLY_SEEN) };
    }
    if (best.isClear) break;
  }
  return best.away;
}

function directionsAt(elevationDeg) {
  const level = (elevationDeg * Math.PI) / 180;
  return TURNS_DEG.map((turn) => {
    const around = Math.atan2(ISO[1], ISO[0]) + (turn * Math.PI) / 180;
    return new Vector3(Math.cos(level) * Math.cos(around), Math.cos(level) * Math.sin(around), Math.sin(level));
  });
}

/** Return how far a view is from one along the way to the goal, 0 to 1; enough is 1, since an oblique one shows depth. */
function acrossShare({ payload, goal }, away) {
  const way = middleOf(goal).sub(payload[0]).setZ(0);
  if (way.length() < 1) return 1;
  const turned = Math.abs(way.normalize().cross(away.clone().setZ(0).normalize()).z);
  return Math.min(1, turned / ENOUGH_ACROSS);
}

/** Return the share of points that no mesh hides from an eye. */
function seenShare(points, eye, meshes) {
  if (!points.length || !meshes.length) return 1;
  const seen = points.filter((point) => {
    const way = point.clone().sub(eye);
    const ray = new Raycaster(eye, way.clone().normalize(), 0, way.length() - 0.5);
    return ray.intersectObjects(meshes, false).length === 0;
  });
  return seen.length / points.length;
}

function mean(values) {
  return values.reduce((all, each) => all + each, 0) / Math.max(1, values.length);
}
