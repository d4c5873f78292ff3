// The drawn world: bodies, payload and zones of a scene, at any time of a replay. Millimetres, z up.

import { Box3, BoxGeometry, Color, DoubleSide, EdgesGeometry, Group, LineBasicMaterial } from "three";
import { LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, BackSide, Vector3 } from "three";
import { BUILD, FORBID, GOAL, PAYLOAD, SELECTED, THEMES, loadColor } from "./palette.js";
import { bodyGeometry, payloadGeometry } from "./shapes.js";
import { Trail } from "./trail.js";
import { ContactArrows } from "./contacts.js";
import { Marks } from "./marks.js";

const EDGE_ANGLE_DEG = 32;
const EXPLODED = 1.1;
const POSES = 12;
const PROBES = 16;
const LOST_SHARE = 0.15;

export class World {
  constructor(scene, replay, parts, marks = []) {
    this.scene = scene;
    this.replay = replay;
    this.parts = new Map(parts.map((part) => [part.label, part]));
    this.root = new Group();
    this.groups = {};
    for (const name of ["environment", "design", "payload", "zones", "trail", "ghosts", "contacts", "marks"]) {
      this.groups[name] = new Group();
      this.root.add(this.groups[name]);
    }
    this.bodies = new Map();
    this.edges = [];
    for (const body of scene.bodies) this.addBody(body);
    // parts alone have neither payload nor zones
    this.payload = scene.payload ? this.addPayload(scene.payload, replay.payload) : null;
    this.trails = this.payload ? [this.trailOf(this.payload)] : [];
    // those besides the first are recorded among the bodies
    for (const payload of scene.more_payloads ?? []) {
      const thing = this.addPayload(payload, replay.tracks.get(payload.label) ?? null);
      this.bodies.set(thing.label, thing);
      this.trails.push(this.trailOf(thing));
    }
    if (this.payload) this.addZones();
    this.marks = new Marks(marks, this.groups.marks);
    this.arrows = new ContactArrows(replay, this.groups.contacts, this.extent().getSize(new Vector3()).length());
    this.exploded = 0;
    this.selected = null;
    this.hasLoadColors = false;
    this.explodeOffsets();
  }

  addBody(body) {
    const geometry = bodyGeometry(body);
    const track = this.replay.tracks.get(body.label);
    const start = track ? track.position(0) : new Vector3();
    geometry.translate(-start.x, -start.y, -start.z);
    const [red, green, blue, alpha] = body.color_rgba ?? [0.7, 0.7, 0.7, 1];
    const thing = solid(geometry, new Color(red, green, blue), alpha, { part: body.label, kind: body.origin });
    thing.start = start;
    thing.track = track;
    thing.frame.position.copy(start);
    this.edges.push(thing.edges);
    this.bodies.set(body.label, thing);
    this.groups[body.origin].add(thing.frame);
  }

  addPayload(payload, track) {
    const color = new Color(PAYLOAD);
    const thing = solid(payloadGeometry(payload), color, 1, { part: payload.label ?? "payload", kind: "payload" });
    thing.frame.position.set(...payload.start_mm);
    const [w, x, y, z] = payload.start_quaternion ?? [1, 0, 0, 0];
    thing.frame.quaternion.set(x, y, z, w);
    thing.start = thing.frame.position.clone();
    thing.track = track;
    this.edges.push(thing.edges);
    this.groups.payload.add(thing.frame);
    return thing;
  }

  trailOf(thing) {
    return new Trail(this.replay, thing.track, thing.mesh.geometry, this.groups.trail, this.groups.ghosts);
  }

  addZones() {
    const zones = [
      ["build", this.scene.build_zone, BUILD, 0.02, 0.45],
      ["goal", this.scene.goal_zone, GOAL, 0.13, 0.95],
      ...this.scene.forbid_zones.map((zone) => [zone.label, zone.box, FORBID, 0.1, 0.8]),
    ];
    for (const [label, box, color, opacity, edgeOpacity] of zones) {
      this.groups.zones.add(zoneBox(label, box, color, opacity, edgeOpacity));
    }
  }

  /** Move everything to where it was at a time. */
  apply(timeS) {
    const place = this.replay.place(timeS);
    for (const thing of this.bodies.values()) {
      pose(thing, place);
      thing.frame.position.addScaledVector(thing.offset, this.exploded);
    }
    if (this.payload) pose(this.payload, place);
    for (const trail of this.trails) trail.apply(place);
    this.arrows.apply(place.sample, this.exploded > 0);
    this.marks.apply((label) => this.thing(label), this.exploded);
  }

  /** Move the parts of the design apart by a share from 0 to 1. */
  explode(share) {
    this.exploded = share;
  }

  /** Sideways from the middle of the machine, and upwards from its lowest point: no part goes below the floor. */
  explodeOffsets() {
    const design = this.machine();
    const box = boxOf(design.map((thing) => thing.frame));
    const middle = box.getCenter(new Vector3()).setZ(box.min.z);
    for (const thing of this.bodies.values()) thing.offset = new Vector3();
    for (const thing of design) {
      const own = boxOf([thing.frame]);
      const center = own.getCenter(new Vector3()).setZ(own.min.z);
      thing.offset = center.sub(middle).multiplyScalar(EXPLODED);
    }
  }

  select(label) {
    this.selected = this.thing(label) ? label : null;
    this.paint();
    return this.selected;
  }

  /** Show only those things for whose label a test holds. */
  filter(isShown) {
    for (const thing of this.things()) thing.frame.visible = isShown(thing.label);
  }

  thing(label) {
    return label === this.payload?.label ? this.payload : this.bodies.get(label);
  }

  colorLoads(isOn) {
    this.hasLoadColors = isOn;
    this.paint();
  }

  /** Give each body its own colour, or that of its load; the selected one shines. */
  paint() {
    for (const thing of this.things()) {
      const isRated = this.hasLoadColors && thing.kind !== "payload";
      thing.material.color.copy(isRated ? new Color(loadColor(this.loadOf(thing))) : thing.color);
      thing.material.emissive.setHex(thing.label === this.selected ? SELECTED : 0);
      thing.material.emissiveIntensity = thing.label === this.selected ? 0.55 : 0;
    }
  }

  loadOf(thing) {
    return thing.kind === "design" ? this.parts.get(thing.label)?.load_ratio : null;
  }

  theme(name) {
    for (const edges of this.edges) {
      edges.material.color.setHex(THEMES[name].edges);
      edges.material.opacity = THEMES[name].edgeOpacity;
    }
  }

  /** Cut everything but the zones by planes; none shows everything. */
  cut(planes) {
    for (const thing of this.things()) {
      for (const material of [thing.material, thing.edges.material, thing.inside.material]) {
        material.clippingPlanes = planes;
      }
      thing.inside.visible = planes.length > 0;
      thing.mesh.castShadow = planes.length === 0;
    }
  }

  solids() {
    return this.things().map((thing) => thing.mesh);
  }

  /** Return everything solid: parts, what the world brings, and payloads. */
  things() {
    return [...this.bodies.values(), ...(this.payload ? [this.payload] : [])];
  }

  /** Return the box around machine, environment and zones. */
  extent() {
    const groups = [this.groups.design, this.groups.environment, this.groups.payload, this.groups.zones];
    return boxOf(groups.filter((group) => group.children.length));
  }

  machine() {
    return [...this.bodies.values()].filter((thing) => thing.kind === "design");
  }

  payloads() {
    const more = [...this.bodies.values()].filter((thing) => thing.kind === "payload");
    return this.payload ? [this.payload, ...more] : more;
  }

  /** Return points around what a viewer wants to see: payloads and their paths, zones, and the machine as it moves. */
  focusPoints(exploded = this.exploded) {
    const zones = this.groups.zones.children.filter((each) => each.name !== "build" || !this.machine().length);
    const reach = this.reach();
    const fixed = [...zones, ...this.payloads().map((thing) => thing.frame)];
    return [
      ...(fixed.length ? cornersOf(boxOf(fixed)) : []),
      ...this.payloads().flatMap((thing) => this.replay.path(thing.track)).map((point) => point.clamp(reach.min, reach.max)),
      ...this.machine().flatMap((thing) => this.sweptCorners(thing, reach, exploded)),
    ];
  }

  /** Return the box around the same. */
  focus() {
    return new Box3().setFromPoints(this.focusPoints());
  }

  /** Return the box beyond which what was lost is left out of the picture. */
  reach() {
    const box = this.extent();
    if (!this.scene.bounds) return box.expandByScalar(box.getSize(new Vector3()).length());
    const { min_mm: low, max_mm: high } = this.scene.bounds;
    const around = Math.max(...high.map((each, axis) => each - low[axis])) * LOST_SHARE;
    return box.union(new Box3(new Vector3(...low), new Vector3(...high))).expandByScalar(around);
  }

  sweptCorners(thing, reach, exploded) {
    const corners = cornersOf(thing.box);
    const last = this.replay.times.length - 1;
    const samples = thing.track ? Array.from({ length: POSES }, (_, pose) => Math.round((pose * last) / (POSES - 1))) : [0];
    return samples.flatMap((sample) => {
      const frame = new Group();
      pose({ ...thing, frame }, { sample, next: sample, share: 0 });
      frame.updateMatrix();
      return corners.map((corner) => {
        return corner.clone().applyMatrix4(frame.matrix).clamp(reach.min, reach.max).addScaledVector(thing.offset, exploded);
      });
    });
  }

  /** Return groups of points that a view should not hide. */
  subjects() {
    return {
      payload: this.payloads().map((thing) => thing.start.clone()),
      path: this.payloads().flatMap((thing) => evenly(this.replay.path(thing.track), PROBES)),
      goal: gridIn(this.scene.goal_zone),
      machine: this.machine().map((thing) => thing.box.getCenter(new Vector3()).add(thing.start)),
    };
  }

  /** Return the meshes of one kind that nobody looks through. */
  opaque(kind) {
    return [...this.bodies.values()].filter((thing) => thing.kind === kind && !thing.material.transparent).map((thing) => thing.mesh);
  }

  floorZ() {
    const solids = [this.groups.design, this.groups.environment].filter((group) => group.children.length);
    return (solids.length ? boxOf(solids) : this.extent()).min.z;
  }
}

export function cornersOf({ min, max }) {
  return Array.from({ length: 8 }, (_, corner) => {
    return new Vector3(...["x", "y", "z"].map((axis, bit) => (corner & (1 << bit) ? max : min)[axis]));
  });
}

function evenly(points, count) {
  const step = Math.max(1, Math.ceil(points.length / count));
  return points.filter((_, index) => index % step === 0);
}

/** Return points within the upper half of a zone, not quite at its faces; the lower one may be in the ground. */
function gridIn({ min_mm: low, max_mm: high }) {
  const shares = [0.1, 0.5, 0.9];
  const at = (axis, share) => low[axis] + share * (high[axis] - low[axis]);
  return shares.flatMap((x) => shares.flatMap((y) => [0.5, 0.9].map((z) => new Vector3(at(0, x), at(1, y), at(2, z)))));
}

function solid(geometry, color, alpha, { part, kind }) {
  const material = new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.05, side: DoubleSide });
  if (alpha < 1) Object.assign(material, { transparent: true, opacity: alpha, depthWrite: false });
  material.polygonOffset = true;
  material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = alpha === 1;
  mesh.receiveShadow = true;
  mesh.userData = { part, kind };
  const lines = new LineBasicMaterial({ transparent: true, opacity: 0.4 });
  const edges = new LineSegments(new EdgesGeometry(geometry, EDGE_ANGLE_DEG), lines);
  const inside = new Mesh(geometry, new MeshBasicMaterial({ color: color.clone().multiplyScalar(0.72), side: BackSide }));
  inside.visible = false;
  const frame = new Group();
  frame.name = part;
  frame.add(mesh, edges, inside);
  geometry.computeBoundingBox();
  const box = geometry.boundingBox;
  return { label: part, kind, frame, mesh, edges, inside, material, box, color: color.clone(), offset: new Vector3() };
}

function pose(thing, place) {
  if (!thing.track) {
    thing.frame.position.copy(thing.start);
    return;
  }
  const { position, quaternion } = thing.track.pose(place);
  thing.frame.position.copy(position);
  thing.frame.quaternion.copy(quaternion);
}

function zoneBox(label, box, color, opacity, edgeOpacity) {
  const size = box.max_mm.map((high, axis) => high - box.min_mm[axis]);
  const geometry = new BoxGeometry(...size);
  const faces = new MeshBasicMaterial({ color, transparent: true, opacity, depthWrite: false, side: DoubleSide });
  const lines = new LineBasicMaterial({ color, transparent: true, opacity: edgeOpacity });
  const group = new Group();
  group.name = label;
  group.add(new Mesh(geometry, faces), new LineSegments(new EdgesGeometry(geometry), lines));
  group.position.set(...box.max_mm.map((high, axis) => (high + box.min_mm[axis]) / 2));
  return group;
}

export function boxOf(objects) {
  const box = new Box3();
  for (const object of objects) box.expandByObject(object, true);
  return box;
}

