// Numbered marks at places on parts, shown through everything; one is hidden with its part and moves with it.

import { CanvasTexture, SRGBColorSpace, Sprite, SpriteMaterial, Vector3 } from "three";
import { MARKS } from "./palette.js";

const SIZE_PX = 96;
const SCREEN_SHARE = 0.055;

export class Marks {
  /** `marks`: `{number, part, place_mm, tone}` each. */
  constructor(marks, group) {
    this.marks = marks.map((mark) => {
      const look = { map: picture(mark), depthTest: false, depthWrite: false, sizeAttenuation: false };
      const sprite = new Sprite(new SpriteMaterial(look));
      sprite.scale.setScalar(SCREEN_SHARE);
      sprite.renderOrder = 10;
      group.add(sprite);
      return { sprite, part: mark.part, place: new Vector3(...mark.place_mm) };
    });
  }

  /** Put the marks where their parts are. `thing` returns the part of a label. */
  apply(thing, exploded) {
    for (const { sprite, part, place } of this.marks) {
      const owner = thing(part);
      sprite.visible = Boolean(owner?.frame.visible);
      if (owner) sprite.position.copy(place).addScaledVector(owner.offset, exploded);
    }
  }
}

function picture({ number, tone }) {
  const canvas = Object.assign(document.createElement("canvas"), { width: SIZE_PX, height: SIZE_PX });
  const pen = canvas.getContext("2d");
  const middle = SIZE_PX / 2;
  pen.beginPath();
  pen.arc(middle, middle, middle - 6, 0, 2 * Math.PI);
  pen.fillStyle = MARKS[tone] ?? MARKS.note;
  pen.fill();
  pen.lineWidth = 6;
  pen.strokeStyle = "#fff";
  pen.stroke();
  Object.assign(pen, { fillStyle: "#fff", font: `bold ${SIZE_PX * 0.5}px sans-serif`, textAlign: "center", textBaseline: "middle" });
  pen.fillText(String(number), middle, middle + 3);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
