import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Roster, type Rostered } from './roster.js';

class Guest implements Rostered {
  place = -1;
}

describe('a roster', () => {
  it('holds just those who came and have not gone, as a set would', () => {
    const guests = Array.from({ length: 12 }, () => new Guest());
    const moves = fc.array(fc.record({ who: fc.nat(11), comes: fc.boolean() }), { maxLength: 80 });
    fc.assert(
      fc.property(moves, (all) => {
        guests.forEach((guest) => (guest.place = -1));
        const [roster, set] = [new Roster<Guest>(), new Set<Guest>()];
        for (const { who, comes } of all) {
          const guest = guests[who]!;
          if (comes) {
            roster.add(guest);
            set.add(guest);
          } else expect(roster.delete(guest)).toBe(set.delete(guest));
          expect(roster.has(guest)).toBe(set.has(guest));
        }
        expect(roster.size).toBe(set.size);
        expect(new Set(roster)).toEqual(set);
      }),
    );
  });

  it('may change while it is gone through', () => {
    const roster = new Roster<Guest>();
    const guests = [new Guest(), new Guest(), new Guest()];
    guests.forEach((guest) => roster.add(guest));
    const seen: Guest[] = [];
    for (const guest of roster) {
      seen.push(guest);
      roster.delete(guest);
      roster.add(new Guest());
    }
    expect(seen).toEqual(guests);
    expect(roster.size).toBe(3);
  });
});
