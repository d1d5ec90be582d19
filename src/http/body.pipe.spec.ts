import { describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { InvalidRequestError } from '../kernel/index.js';
import { BodyPipe } from './index.js';

class Parcel {
  @IsString({ message: 'label must be text' })
  label!: string;

  @IsOptional()
  @IsInt({ message: 'grams must be a whole number' })
  grams?: number | null;
}

const pipe = new BodyPipe(Parcel);

function faultOf(body: unknown): InvalidRequestError {
  try {
    pipe.transform(body);
  } catch (fault) {
    if (fault instanceof InvalidRequestError) return fault;
    throw fault;
  }
  throw new Error('was taken');
}

describe('BodyPipe', () => {
  it('gives an instance of the class with what was sent', () => {
    const parcel = pipe.transform({ label: 'a', grams: 0 });
    expect(parcel).toBeInstanceOf(Parcel);
    expect(parcel).toEqual(Object.assign(new Parcel(), { label: 'a', grams: 0 }));
  });

  it('drops what the class does not know', () => {
    expect(pipe.transform({ label: 'a', colour: 'red', toString: 1 })).toEqual(
      Object.assign(new Parcel(), { label: 'a' }),
    );
  });

  it.each([undefined, null, 'text', 7, true, [], [{ label: 'a' }]])(
    'refuses %j, which is no object',
    (body) => {
      const fault = faultOf(body);
      expect(fault.message).toBe('Send a JSON object with Content-Type: application/json.');
      expect(fault.param).toBeNull();
    },
  );

  it('names every bad field, and the first of them as param', () => {
    const fault = faultOf({ label: 7, grams: '12' });
    expect(fault.message).toBe('label must be text; grams must be a whole number.');
    expect(fault.param).toBe('label');
  });

  it('converts nothing: a number in quotes is no number, and a list of one is no text', () => {
    expect(faultOf({ label: 'a', grams: '12' }).param).toBe('grams');
    expect(faultOf({ label: ['a'] }).param).toBe('label');
    expect(faultOf({ label: { toString: 'a' } }).param).toBe('label');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('is not misled by a member %s', (member) => {
    const parcel = pipe.transform(JSON.parse(`{"label":"a","${member}":{"grams":7,"isAdmin":true}}`));
    expect(parcel).toBeInstanceOf(Parcel);
    expect(parcel.grams).toBeUndefined();
    expect('isAdmin' in parcel).toBe(false);
    expect('isAdmin' in {}).toBe(false);
  });

  it('takes no value from a member __proto__ for one that is missing', () => {
    expect(faultOf(JSON.parse('{"__proto__":{"label":"a"}}')).param).toBe('label');
  });

  it('refuses a value nested thousands deep by its field instead of failing on it', () => {
    const depth = 40_000;
    const body: unknown = JSON.parse(`{"label":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(faultOf(body).param).toBe('label');
    const unknownOnly: unknown = JSON.parse(
      `{"label":"a","x":${'[{"y":'.repeat(depth)}1${'}]'.repeat(depth)}}`,
    );
    expect(pipe.transform(unknownOnly).label).toBe('a');
  });
});
