// Renderer, camera, light and floor. It draws on request only: a page that nobody moves uses no power.

import { AmbientLight, Box3, Color, DirectionalLight, GridHelper, HemisphereLight, Mesh, PCFShadowMap, PerspectiveCamera } from "three";
import { PlaneGeometry, Scene, ShadowMaterial, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { FIELD_OF_VIEW_DEG, ISO, clearestDirection, fitted } from "./framing.js";
import { THEMES } from "./palette.js";
import { boxOf, cornersOf } from "./world.js";

export const VIEWS = {
  best: null,
  iso: ISO,
  front: [0, -1, 0],
  back: [0, 1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, -0.0001, 1],
};
const AROUND_SHARE = 0.16;

export class Stage {
  constructor(canvas, world, onFrame) {
    this.world = world;
    this.onFrame = onFrame;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // a camera that moves leaves shadows where they are
    this.renderer.localClippingEnabled = true;
    this.drawing = new Scene();
    this.drawing.add(world.root);
    this.extent = world.extent();
    this.size = this.extent.getSize(new Vector3()).length();
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW_DEG, 1, this.size / 500, this.size * 40);
    this.camera.up.set(0, 0, 1);
    this.addLight();
    this.addFloor();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => {
      if (this.isHeld) this.framing = null;
      this.request();
    });
    this.isHeld = false;
    this.controls.addEventListener("start", () => (this.isHeld = true));
    this.controls.addEventListener("end", () => (this.isHeld = false));
    this.controls.maxDistance = this.size * 20;
    this.framing = null;
    this.isRequested = false;
  }

  addLight() {
    this.lights = [new AmbientLight(0xffffff, 0.55), new HemisphereLight(0xffffff, 0xb9c3cf, 1.25), new DirectionalLight(0xffffff, 1.9)];
    this.power = this.lights.map((light) => light.intensity);
    const center = this.extent.getCenter(new Vector3());
    const sun = this.lights[2];
    sun.position.copy(center).add(new Vector3(-0.45, -0.6, 1.3).multiplyScalar(this.size));
    sun.target.position.copy(center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 5;
    sun.shadow.normalBias = this.size * 0.0008;
    sun.shadow.bias = -0.0005;
    const half = this.size * 0.62;
    Object.assign(sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 1, far: this.size * 3.2 });
    this.drawing.add(...this.lights, sun.target);
  }

  addFloor() {
    const z = this.world.floorZ() - this.size * 0.001;
    const center = this.extent.getCenter(new Vector3());
    this.floor = new Mesh(new PlaneGeometry(this.size * 8, this.size * 8), new ShadowMaterial({ depthWrite: false }));
    this.floor.position.set(center.x, center.y, z);
    this.floor.receiveShadow = true;
    const cells = gridCells(this.size);
    this.grid = new GridHelper(cells.count * cells.size, cells.count, 0xffffff, 0xffffff);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.set(Math.round(center.x / cells.size) * cells.size, Math.round(center.y / cells.size) * cells.size, z);
    this.grid.material.transparent = true;
    this.grid.material.vertexColors = false;
    this.grid.material.needsUpdate = true;
    this.gridMm = cells.size;
    this.drawing.add(this.floor, this.grid);
  }

  theme(name) {
    const theme = THEMES[name];
    this.drawing.background = new Color(theme.sky);
    this.grid.material.color.setHex(theme.lines);
    this.grid.material.opacity = 0.9;
    this.floor.material.opacity = theme.shadow;
    this.lights.forEach((light, index) => (light.intensity = this.power[index] * theme.light));
    this.world.theme(name);
    this.request();
  }

  resize(width, height) {
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.framing) this.fit();
    this.request();
  }

  /** Look from a named view, so near that the machine fills the picture; `best` hides least of what matters. */
  look(view = "best") {
    const points = this.world.focusPoints();
    const isClearest = view === "best" && this.world.payload;
    const away = isClearest ? this.clearest(points) : new Vector3(...(VIEWS[view] ?? ISO));
    this.frame(() => this.world.focusPoints(), away.normalize(), view);
  }

  clearest(points) {
    this.world.root.updateMatrixWorld(true);
    const [walls, parts] = [this.world.opaque("environment"), this.world.opaque("design")];
    return clearestDirection(points, this.world.subjects(), walls, parts, this.camera.aspect);
  }

  /** Look at a part from where the camera is. */
  lookAt(object) {
    const points = () => cornersOf(boxOf([object]).expandByScalar(this.size * 0.06));
    this.frame(points, this.away());
  }

  /** Look at a place and what is around it from where the camera is. */
  lookAround(point) {
    const around = new Box3().setFromCenterAndSize(point, new Vector3().setScalar(this.size * AROUND_SHARE));
    this.frame(() => cornersOf(around), this.away());
  }

  /** Look at a part from the side on which a place of it is. */
  lookAtPlace(object, place) {
    const box = boxOf([object]);
    const outwards = place.clone().sub(box.getCenter(new Vector3())).normalize().add(new Vector3(...ISO).multiplyScalar(0.35));
    this.frame(() => cornersOf(boxOf([object]).expandByScalar(this.size * 0.06)), outwards.normalize());
  }

  away() {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  /** Show points from a direction, and again after a change of the picture's size, until somebody moves the camera. */
  frame(points, away, view = null) {
    this.framing = { points, away, view };
    this.fit();
  }

  fit() {
    const { points, away } = this.framing;
    const { position, target } = fitted(points(), away, this.camera.aspect, this.size / 100);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.camera.lookAt(target);
    this.controls.update();
    this.request();
  }

  /** Tell whether all points are in the picture. */
  shows(points) {
    this.camera.updateMatrixWorld();
    return points.every((point) => {
      const { x, y, z } = point.clone().project(this.camera);
      return Math.abs(x) <= 1 && Math.abs(y) <= 1 && z <= 1;
    });
  }

  /** Go so far back that all points are in the picture, if some are not. */
  contain(points) {
    if (!this.shows(points())) this.frame(points, this.away());
  }

  /** Turn the camera about its target, in radians, and go nearer by a factor. */
  orbit(around, upwards, factor = 1) {
    this.framing = null;
    const arm = this.camera.position.clone().sub(this.controls.target);
    const level = Math.asin(arm.z / arm.length());
    arm.applyAxisAngle(new Vector3(0, 0, 1), around);
    const side = new Vector3(0, 0, 1).cross(arm).normalize();
    const turn = Math.max(-1.5, Math.min(1.5, level + upwards)) - level;
    arm.applyAxisAngle(side, -turn).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.request();
  }

  /** Draw again, since something moved, and so did its shadow. */
  refresh() {
    this.renderer.shadowMap.needsUpdate = true;
    this.request();
  }

  request() {
    if (this.isRequested) return;
    this.isRequested = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.isRequested = false;
    this.renderer.render(this.drawing, this.camera);
    this.onFrame();
  }

  /** Return where a point is on the canvas, in CSS pixels; null behind the camera. */
  pixel(point) {
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    const { clientWidth, clientHeight } = this.renderer.domElement;
    return { x: ((seen.x + 1) / 2) * clientWidth, y: ((1 - seen.y) / 2) * clientHeight };
  }

  dispose() {
    this.controls.dispose();
    this.renderer.dispose();
  }
}

/** Return cells of 1, 2 or 5 times a power of ten millimetres, about twenty across the world. */
function gridCells(size) {
  const power = 10 ** Math.floor(Math.log10(size / 12));
  const cell = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= size / 12);
  return { size: cell, count: 2 * Math.ceil((size * 1.6) / cell) };
}
