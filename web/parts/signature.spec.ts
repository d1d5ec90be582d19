import { describe, expect, it } from '@jest/globals';
import { hopsOf, layersText, machineOf, routeText } from './signature.js';

describe('a signature', () => {
  it('is read back into its hops, whatever characters the model has', () => {
    for (const model of ['llama3:8b', 'Qwen/Qwen3', 'a|b->c[0-1]', '<b>']) {
      expect(hopsOf(`${model}|w.gpu:0-21[0-21]->w.cpu-2:0-39[22-39]`, model)).toEqual([
        { node_id: 'w.gpu:0-21', start_layer: 0, end_layer: 21 },
        { node_id: 'w.cpu-2:0-39', start_layer: 22, end_layer: 39 },
      ]);
    }
  });

  it('of another model, or no signature at all, is none', () => {
    expect(hopsOf('m|w:all[0-0]', 'other')).toBeNull();
    expect(hopsOf('m|w:all', 'm')).toBeNull();
    expect(hopsOf('m|w:all[0-0]->', 'm')).toBeNull();
    expect(hopsOf('', '')).toBeNull();
  });

  it('reads as machines and layers', () => {
    expect(routeText('m|w.gpu:0-21[0-21]->w:0-39[22-39]', 'm')).toBe('w.gpu 0–21 → w 22–39');
  });

  it('of one hop reads as the machine alone', () => {
    expect(routeText('m|w.gpu:all[0-0]', 'm')).toBe('w.gpu');
  });

  it('that does not read as one is shown as it is', () => {
    expect(routeText('<script>', 'm')).toBe('<script>');
  });

  it('names a machine by its id without the shard', () => {
    expect(['w:all', 'w.a.b:3-4', 'odd:id'].map(machineOf)).toEqual(['w', 'w.a.b', 'odd:id']);
  });

  it('has one number for one layer', () => {
    expect([layersText(3, 3), layersText(3, 4)]).toEqual(['3', '3–4']);
  });
});
