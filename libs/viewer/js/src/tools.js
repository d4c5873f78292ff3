// Picking, measuring between two points, and the section plane.

import { BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry } from "three";
import { Vector2, Vector3 } from "three";

const SNAP_PX = 12;
const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

export class Picker {
  constructor(stage, world) {
    this.stage = stage;
    this.world = world;
    this.ray = new Raycaster();
  }

  /** Return what is at a place of the canvas in CSS pixels: `{label, point, corner}`; null where nothing solid is. */
  at(x, y) {
    const { clientWidth, clientHeight } = this.stage.renderer.domElement;
    this.ray.setFromCamera(new Vector2((x / clientWidth) * 2 - 1, 1 - (y / clientHeight) * 2), this.stage.camera);
    const hit = this.ray.intersectObjects(this.world.solids(), false).find((each) => this.isShown(each));
    if (!hit) return null;
    return { label: hit.object.userData.part, point: hit.point, corner: this.cornerOf(hit, x, y) };
  }

  isShown({ object, point }) {
    const group = this.world.groups[object.userData.kind];
    return group.visible && object.parent.visible && !(object.material.clippingPlanes ?? []).some((plane) => plane.distanceToPoint(point) < 0);
  }

  /** Return the corner of the hit triangle that is within some pixels of the place, or the hit point. */
  cornerOf(hit, x, y) {
    const positions = hit.object.geometry.getAttribute("position");
    const corners = [hit.face.a, hit.face.b, hit.face.c].map((index) => {
      return hit.object.localToWorld(new Vector3().fromBufferAttribute(positions, index));
    });
    const away = (corner) => {
      const pixel = this.stage.pixel(corner);
      return pixel ? Math.hypot(pixel.x - x, pixel.y - y) : Infinity;
    };
    const nearest = corners.reduce((best, corner) => (away(corner) < away(best) ? corner : best));
    return away(nearest) <= SNAP_PX ? nearest : hit.point;
  }
}

export class Measure {
  constructor(stage) {
    this.stage = stage;
    this.points = [];
    const look = { color: 0x0a58ca, depthTest: false, transparent: true };
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial(look));
    this.line.renderOrder = 8;
    this.dots = [0, 1].map(() => new Mesh(new SphereGeometry(stage.size * 0.004, 12, 8), new MeshBasicMaterial(look)));
    for (const dot of this.dots) dot.renderOrder = 8;
    stage.drawing.add(this.line, ...this.dots);
    this.clear();
  }

  clear() {
    this.points = [];
    this.show();
  }

  /** Add a point; a third one begins again. */
  add(point) {
    this.points = this.points.length === 2 ? [point] : [...this.points, point];
    this.show();
  }

  show() {
    this.dots.forEach((dot, index) => {
      dot.visible = index < this.points.length;
      if (dot.visible) dot.position.copy(this.points[index]);
    });
    this.line.visible = this.points.length === 2;
    if (this.line.visible) this.line.geometry.setFromPoints(this.points);
    this.stage.request();
  }

  /** Return distance and differences in millimetres, and the point between; null before there are two points. */
  result() {
    if (this.points.length < 2) return null;
    const [first, second] = this.points;
    const between = second.clone().sub(first);
    const [dx, dy, dz] = between.toArray().map(Math.abs);
    return { distance_mm: between.length(), dx_mm: dx, dy_mm: dy, dz_mm: dz, middle: first.clone().lerp(second, 0.5) };
  }
}

/** Return the plane that hides what is beyond a place on an axis; `isFlipped` hides the other side. */
export function sectionPlane(axis, atMm, isFlipped) {
  const normal = AXES[axis].clone().multiplyScalar(isFlipped ? 1 : -1);
  return new Plane(normal, isFlipped ? -atMm : atMm);
}
