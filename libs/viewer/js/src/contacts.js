// Contact forces on parts as arrows: a longer arrow is a larger force, on a logarithmic scale.

import { ArrowHelper, Vector3 } from "three";
import { CONTACT } from "./palette.js";

const LEAST_N = 0.005;

export class ContactArrows {
  constructor(replay, group, worldMm) {
    this.replay = replay;
    this.lengthMm = worldMm * 0.05;
    this.arrows = replay.contacts.map(({ label }) => {
      const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), this.lengthMm, CONTACT);
      for (const part of [arrow.line, arrow.cone]) {
        part.material.depthTest = false;
        part.renderOrder = 5;
      }
      arrow.visible = false;
      arrow.userData.label = label;
      group.add(arrow);
      return arrow;
    });
  }

  /** Show the forces at a sample; parts that are moved apart show none, since their contacts are elsewhere. */
  apply(sample, isExploded) {
    this.replay.contactsAt(sample).forEach(({ forceN, placeMm }, index) => {
      const arrow = this.arrows[index];
      const newtons = forceN.length();
      arrow.visible = newtons >= LEAST_N && !isExploded;
      if (!arrow.visible) return;
      const length = this.lengthMm * Math.log10(1 + newtons / LEAST_N) * 0.6;
      arrow.position.copy(placeMm).addScaledVector(forceN, -length / newtons);
      arrow.setDirection(forceN.clone().normalize());
      arrow.setLength(length, length * 0.28, length * 0.14);
    });
  }

  /** Return the forces at a sample in newtons by label, those that are shown. */
  forcesAt(sample) {
    const loads = this.replay.contactsAt(sample).map(({ label, forceN }) => ({ label, newtons: forceN.length() }));
    return loads.filter(({ newtons }) => newtons >= LEAST_N);
  }
}
