// Geometry of bodies and payload in millimetres, from the fields of a `Scene` (contracts.models.scene).

import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Matrix4, Quaternion } from "three";
import { SphereGeometry, Vector3 } from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const CREASE = (40 * Math.PI) / 180;

/** Return a body as one geometry at its initial pose, in world coordinates. */
export function bodyGeometry(body) {
  return body.surface ? surfaceGeometry(body.surface) : geomsGeometry(body.geoms);
}

/** Return the collision shapes as one geometry. */
export function geomsGeometry(geoms) {
  const shapes = geoms.map(geomGeometry).map((shape) => plain(shape));
  return shapes.length === 1 ? shapes[0] : mergeGeometries(shapes);
}

/** Return the payload around its centre, along its own axes. */
export function payloadGeometry(payload) {
  const size = payload.size_mm;
  switch (payload.shape) {
    case "ball":
      return new SphereGeometry(size / 2, 40, 24);
    case "cube":
      return new BoxGeometry(size, size, size);
    case "box":
      return new BoxGeometry(...payload.edges_mm);
    case "cylinder":
      return new CylinderGeometry(size / 2, size / 2, payload.length_mm, 48).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(size / 2, payload.length_mm - size, 12, 32).rotateX(Math.PI / 2);
    default:
      return hullGeometry(payload.hull_mm);
  }
}

function geomGeometry(geom) {
  switch (geom.kind) {
    case "box":
      return placed(new BoxGeometry(...geom.size_mm), geom.center_mm, geom.quaternion);
    case "cylinder": {
      const upright = new CylinderGeometry(geom.radius_mm, geom.radius_mm, geom.length_mm, 40).rotateX(Math.PI / 2);
      return placed(upright, geom.center_mm, geom.quaternion);
    }
    case "sphere":
      return new SphereGeometry(geom.radius_mm, 32, 20).translate(...geom.center_mm);
    default:
      return hullGeometry(geom.vertices_mm);
  }
}

function hullGeometry(points) {
  return new ConvexGeometry(points.map((point) => new Vector3(...point)));
}

function placed(geometry, center, [w, x, y, z]) {
  const pose = new Matrix4().compose(new Vector3(...center), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
  return geometry.applyMatrix4(pose);
}

function surfaceGeometry(surface) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(bytesOf(surface.vertices_mm).buffer), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytesOf(surface.triangles).buffer), 1));
  return plain(geometry);
}

/** Return a geometry with positions and creased normals only, so that geometries merge. */
function plain(geometry) {
  const bare = geometry.index ? geometry.toNonIndexed() : geometry;
  bare.deleteAttribute("uv");
  return toCreasedNormals(bare, CREASE);
}

/** Return the bytes of a base64 text, URL-safe or not. */
export function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
