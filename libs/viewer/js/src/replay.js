// Poses of payload and moving bodies over time, from the arrays of a trajectory (contracts.models.simulation.Media).

import { Quaternion, Vector3 } from "three";

export class Replay {
  /** `arrays`: those of `readNpz`; null for a scene that is at rest. */
  constructor(arrays) {
    this.times = arrays?.time_s.values ?? new Float64Array([0]);
    this.bodies = arrays?.bodies?.values ?? [];
    this.payload = arrays ? track(arrays.payload_mm.values, arrays.payload_quaternion.values, 1, 0) : null;
    this.tracks = new Map(
      Array.from(this.bodies, (label, index) => {
        return [label, track(arrays.body_mm.values, arrays.body_quaternion.values, this.bodies.length, index)];
      }),
    );
    this.contacts = contactsOf(arrays);
  }

  get hasMotion() {
    return this.times.length > 1;
  }

  get startS() {
    return this.times[0];
  }

  get endS() {
    return this.times[this.times.length - 1];
  }

  /** Return the last sample not after a time, and how far the time is on the way to the next one, 0 to 1. */
  place(timeS) {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.times[middle] <= timeS + 1e-9) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, this.times.length - 1);
    const gap = this.times[next] - this.times[low];
    return { sample: low, next, share: gap > 0 ? Math.min(1, Math.max(0, (timeS - this.times[low]) / gap)) : 0 };
  }

  /** Return the points of a path, one for each sample; by default that of the first payload. */
  path(track = this.payload) {
    if (!track) return [];
    return Array.from(this.times, (_, sample) => track.position(sample));
  }

  /** Return the contact loads at a sample: `{label, forceN: Vector3, placeMm: Vector3}` for each loaded body. */
  contactsAt(sample) {
    return this.contacts.map(({ label, force, place }) => ({
      label,
      forceN: force(sample),
      placeMm: place(sample),
    }));
  }
}

function track(positions, quaternions, columns, column) {
  const position = (sample) => new Vector3().fromArray(positions, 3 * (sample * columns + column));
  const quaternion = (sample) => {
    const at = 4 * (sample * columns + column);
    return new Quaternion(quaternions[at + 1], quaternions[at + 2], quaternions[at + 3], quaternions[at]);
  };
  return {
    position,
    quaternion,
    pose: ({ sample, next, share }) => ({
      position: position(sample).lerp(position(next), share),
      quaternion: quaternion(sample).slerp(quaternion(next), share),
    }),
  };
}

/** Trajectories before this field have no contacts. */
function contactsOf(arrays) {
  const labels = arrays?.contact_bodies?.values ?? [];
  const vector = (values, index) => (sample) => {
    return new Vector3().fromArray(values, 3 * (sample * labels.length + index));
  };
  return Array.from(labels, (label, index) => ({
    label,
    force: vector(arrays.contact_force_n.values, index),
    place: vector(arrays.contact_mm.values, index),
  }));
}
