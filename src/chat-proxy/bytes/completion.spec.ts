import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  completenessOf,
  isBadReason,
  readChoices,
  StreamChoices,
  type ChoiceFacts,
  type Completeness,
  type FinishReasons,
} from './completion.js';

const BAD = [
  'abort',
  'aborted',
  'cancel',
  'canceled',
  'cancelled',
  'error',
  'errored',
  'fail',
  'failed',
].concat(['failure', 'internal_error', 'server_error', 'timeout', 'timed_out']);
const GOOD = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'eos_token',
  'end_turn',
  'aborting',
  'no error',
];

/** The choices of one chunk or answer. */
function choicesOf(...choices: unknown[]): readonly ChoiceFacts[] {
  return readChoices({ choices })!;
}

function choice(message: unknown, finish_reason: unknown = null): unknown {
  return { index: 0, message, finish_reason };
}

function ofJson(choices: unknown, reasons: FinishReasons = 'sent'): Completeness {
  return completenessOf(readChoices({ choices }), reasons);
}

/** A stream of chunks, each given by its choices. */
function streamed(...chunks: unknown[][]): StreamChoices {
  const stream = new StreamChoices();
  for (const chunk of chunks) stream.take(choicesOf(...chunk));
  return stream;
}

function ofStream(...chunks: unknown[][]): Completeness {
  return streamed(...chunks).completeness('sent');
}

const ROLE = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };
const SAID = { index: 0, delta: { content: 'Hi' }, finish_reason: null };
const STOP = { index: 0, delta: {}, finish_reason: 'stop' };
const at = (index: unknown, fields: object): unknown => ({ ...fields, index });

describe('a bad finish reason', () => {
  it.each(BAD)('is %s, in any case and with blanks around', (reason) => {
    for (const written of [reason, reason.toUpperCase(), ` ${reason}\n`]) {
      expect(isBadReason(written)).toBe(true);
    }
  });

  it.each([...GOOD, ''])('is not "%s"', (reason) => {
    expect(isBadReason(reason)).toBe(false);
  });

  it('is no other word', () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        expect(isBadReason(word)).toBe(BAD.includes(word.trim().toLowerCase()));
      }),
    );
  });
});

describe('the choices of an answer', () => {
  it('are none where there is no list, and an empty list where the server writes null', () => {
    for (const answer of [{}, { choices: {} }, { choices: 'a' }, { choices: 1 }]) {
      expect(readChoices(answer)).toBeNull();
    }
    expect(readChoices({ choices: null })).toEqual([]);
    expect(readChoices({ choices: [] })).toEqual([]);
  });

  it.each([null, 'text', 1, [], true])('have nothing in a member that is no object: %j', (odd) => {
    expect(choicesOf({}, odd)[1]).toEqual({
      ...{ index: 1, hasMessage: false, hasContent: false, hasToolCall: false, reason: null },
    });
  });

  it.each([
    [7, 7],
    [0, 0],
    [undefined, 1],
    [null, 1],
    ['5', 1],
    [-1, 1],
    [1.5, 1],
    [2 ** 53, 1],
    [{}, 1],
  ])('with the index %j have the index %i, their place where it is none', (index, expected) => {
    expect(choicesOf({}, { index })[1]?.index).toBe(expected);
  });

  it.each([
    [undefined, null],
    [null, null],
    [false, null],
    ['', null],
    ['  ', null],
    ['stop', 'stop'],
    ['ABORT', 'ABORT'],
    [2, '2'],
    [true, 'true'],
    [{ type: 'stop' }, 'stop'],
    [{ type: 'abort', message: 'gone' }, 'abort'],
    [{ type: 7 }, '{"type":7}'],
    [{ kind: 'stop' }, '{"kind":"stop"}'],
  ])('with the finish reason %j have the reason %j', (finish_reason, reason) => {
    expect(choicesOf({ finish_reason })[0]?.reason).toBe(reason);
  });

  it.each([
    [{ message: {} }, true],
    [{ message: { content: null } }, true],
    [{ text: '' }, true],
    [{ text: 'a' }, true],
    [{ text: ['a'] }, true],
    [{}, false],
    [{ message: null, text: null }, false],
    [{ message: 'Hi' }, false],
    [{ text: [] }, false],
    [{ delta: {} }, false],
  ])('of %j have a message: %j', (fields, hasMessage) => {
    expect(choicesOf(fields)[0]?.hasMessage).toBe(hasMessage);
  });
});

describe('content', () => {
  const CONTENT: object[] = [
    { content: 'a' },
    { content: ' ' },
    { content: [{ type: 'text', text: 'a' }] },
    {
      content: [
        { type: 'text', text: '' },
        { type: 'image_url', image_url: {} },
      ],
    },
    { content: ['a'] },
    { reasoning: 'a' },
    { reasoning_content: 'a' },
    { reasoning_details: [{ text: 'a' }] },
    { refusal: 'no' },
    { images: [{}] },
    { audio: { data: 'UklGRg' } },
    { audio: { transcript: 'a' } },
    { audio: { id: 'audio_1' } },
  ];
  const CALLS: object[] = [
    { function_call: { name: 'look' } },
    { tool_calls: [{ function: { name: 'look', arguments: '' } }] },
    { tool_calls: [{}, { function: { arguments: '{' } }] },
    { tool_calls: [{ type: 'custom', custom: { input: 'a' } }] },
  ];
  const NOTHING: object[] = [
    {},
    { role: 'assistant' },
    { content: '' },
    { content: null },
    { content: 1 },
    { content: [] },
    { content: [{ type: 'text', text: '' }] },
    { reasoning: '', reasoning_content: null, reasoning_details: [], refusal: null, images: [] },
    { audio: null },
    { audio: { data: '', expires_at: 1 } },
    { tool_calls: [] },
    { tool_calls: null },
    { tool_calls: [null, {}, { index: 0, id: 'call_1', function: {} }, { function: { name: '' } }] },
    { function_call: { name: '', arguments: '' } },
    { function_call: 'look' },
  ];

  it.each([...CONTENT, ...CALLS])('is in %j, of a message and of a delta', (said) => {
    expect(choicesOf({ message: said })[0]?.hasContent).toBe(true);
    expect(choicesOf({ delta: said })[0]?.hasContent).toBe(true);
  });

  it.each(NOTHING)('is not in %j', (said) => {
    expect(choicesOf({ message: said, text: '' })[0]?.hasContent).toBe(false);
    expect(choicesOf({ delta: said })[0]?.hasContent).toBe(false);
  });

  it('is in a text that is not empty', () => {
    expect(
      choicesOf({ text: 'a' }, { text: '' }, { text: null }).map(({ hasContent }) => hasContent),
    ).toEqual([...[true, false, false]]);
  });

  it('includes a call of a tool, which is noted', () => {
    for (const said of CALLS) expect(choicesOf({ delta: said })[0]?.hasToolCall).toBe(true);
    for (const said of [...CONTENT, ...NOTHING])
      expect(choicesOf({ delta: said })[0]?.hasToolCall).toBe(false);
    expect(choicesOf({ text: 'a' })[0]?.hasToolCall).toBe(false);
  });
});

describe('a JSON answer', () => {
  const full = { content: 'Hi' };
  const blank = { content: '' };

  it.each<[string, unknown, Completeness]>([
    ['without choices', undefined, 'none'],
    ['with choices that are no list', {}, 'none'],
    ['with null for choices', null, 'none'],
    ['with no choice', [], 'none'],
    ['with a choice without message and text', [choice(full, 'stop'), { finish_reason: 'stop' }], 'none'],
    ['with such a choice and a bad reason', [choice(full, 'abort'), {}], 'none'],
    ['with a bad reason', [choice(full, 'abort')], 'aborted'],
    ['with a bad reason in one of two choices', [choice(full, 'stop'), choice(full, 'Error')], 'aborted'],
    ['with a bad reason and a missing one', [choice(full), choice(blank, 'timeout')], 'aborted'],
    ['with reasons and content', [choice(full, 'stop'), choice(full, 'length')], 'whole'],
    ['with reasons and content in one choice', [choice(blank, 'stop'), choice(full, 'stop')], 'whole'],
    ['with a reason that no list names', [choice(full, 'model_felt_done')], 'whole'],
    ['with a reason that is an object', [choice(full, { type: 'stop' })], 'whole'],
    ['with reasons and no content', [choice(blank, 'stop'), choice({}, 'stop')], 'empty'],
    ['with a missing reason and content', [choice(full, 'stop'), choice(blank)], 'no_reason'],
    ['with an empty reason and content', [choice(full, '')], 'no_reason'],
    ['with neither reason nor content', [choice(blank)], 'none'],
    ['of legacy completions with content', [{ text: 'Hi', finish_reason: 'length' }], 'whole'],
    ['of legacy completions without content', [{ text: '', finish_reason: 'stop' }], 'empty'],
    ['of legacy completions without a reason', [{ text: 'Hi', finish_reason: null }], 'no_reason'],
  ])('%s', (_, choices, expected) => {
    expect(ofJson(choices)).toBe(expected);
  });

  it('of a server that never sends reasons is whole with content, and empty without', () => {
    expect(ofJson([choice(full)], 'never')).toBe('whole');
    expect(ofJson([choice(blank)], 'never')).toBe('empty');
    expect(ofJson([choice(full, 'error')], 'never')).toBe('aborted');
    expect(ofJson([], 'never')).toBe('none');
  });

  it('is asked for reasons unless its server is named as one that never sends them', () => {
    expect(completenessOf(choicesOf(choice(full)))).toBe('no_reason');
  });
});

describe('a stream', () => {
  it.each<[string, unknown[][], Completeness]>([
    ['without chunks', [], 'none'],
    ['of chunks without choices', [[], []], 'none'],
    ['of a role alone', [[ROLE]], 'none'],
    ['of one ended and one begun choice, both empty', [[ROLE, at(1, ROLE)], [STOP]], 'none'],
    ['with a bad reason', [[ROLE], [SAID], [{ index: 0, delta: {}, finish_reason: 'abort' }]], 'aborted'],
    [
      'with a bad reason in one of two choices',
      [
        [SAID, at(1, SAID)],
        [STOP, at(1, { finish_reason: 'ERROR' })],
      ],
      'aborted',
    ],
    ['with a bad reason and no content', [[{ index: 0, delta: {}, finish_reason: 'abort' }]], 'aborted'],
    ['with a bad reason before a good one', [[{ index: 0, finish_reason: 'error' }], [STOP]], 'aborted'],
    ['with reasons and content', [[ROLE], [SAID], [STOP]], 'whole'],
    ['with content and reason in one chunk', [[{ ...SAID, finish_reason: 'stop' }]], 'whole'],
    [
      'with content in one of two choices',
      [
        [SAID, at(1, ROLE)],
        [STOP, at(1, STOP)],
      ],
      'whole',
    ],
    ['with a reason that no list names', [[SAID], [{ index: 0, delta: {}, finish_reason: 'done' }]], 'whole'],
    ['with more chunks of a choice that has ended', [[SAID], [STOP], [ROLE]], 'whole'],
    [
      'with reasons and no content',
      [
        [ROLE, at(1, ROLE)],
        [STOP, at(1, STOP)],
      ],
      'empty',
    ],
    ['with content and no reason', [[ROLE], [SAID]], 'unfinished'],
    ['with content and one reason of two', [[SAID, at(1, SAID)], [STOP]], 'unfinished'],
    ['with an empty reason', [[SAID], [{ index: 0, delta: {}, finish_reason: '' }]], 'unfinished'],
    [
      'of legacy completions',
      [[{ index: 0, text: 'Hi' }], [{ index: 0, text: '', finish_reason: 'stop' }]],
      'whole',
    ],
    ['with fewer choices than asked for', [[at(2, SAID)], [at(2, STOP)]], 'whole'],
  ])('%s', (_, chunks, expected) => {
    expect(ofStream(...chunks)).toBe(expected);
  });

  it('of a server that never sends reasons is whole with content', () => {
    expect(streamed([ROLE], [SAID]).completeness('never')).toBe('whole');
    expect(streamed([ROLE]).completeness('never')).toBe('none');
    expect(streamed([ROLE], [STOP]).completeness('never')).toBe('empty');
    expect(streamed([SAID], [{ index: 0, finish_reason: 'failed' }]).completeness('never')).toBe('aborted');
  });

  it('with an event too long to read may have had content and reasons', () => {
    const stream = new StreamChoices();
    stream.takeUnread();
    expect([stream.haveBegun, stream.areEnded, stream.completeness('sent')]).toEqual([true, false, 'whole']);
    stream.take(choicesOf(ROLE));
    expect(stream.completeness('sent')).toBe('whole');
    stream.take(choicesOf(STOP));
    expect([stream.areEnded, stream.completeness('sent')]).toEqual([true, 'whole']);
  });

  it('counts the choices that have begun and ended', () => {
    const stream = new StreamChoices();
    const facts = (): unknown[] => [stream.haveBegun, stream.areEnded, stream.endedCount];
    expect(facts()).toEqual([false, false, 0]);
    stream.take(choicesOf(ROLE, at(1, ROLE)));
    expect(facts()).toEqual([true, false, 0]);
    stream.take(choicesOf(STOP));
    expect(facts()).toEqual([true, false, 1]);
    stream.take(choicesOf(at(1, STOP)));
    expect(facts()).toEqual([true, true, 2]);
    stream.take(choicesOf(STOP));
    expect(facts()).toEqual([true, true, 2]);
  });

  it('names its first bad reason as the server wrote it', () => {
    expect(streamed([SAID], [STOP]).badReason).toBeNull();
    const [first, second] = [
      { index: 0, finish_reason: 'Abort' },
      { index: 1, finish_reason: 'error' },
    ];
    expect(streamed([first, second]).badReason).toBe('Abort');
  });

  it('begins a choice once, however its chunks lack an index', () => {
    expect(ofStream([{ delta: { content: 'Hi' } }], [{ index: '0', delta: {}, finish_reason: 'stop' }])).toBe(
      'whole',
    );
  });
});

describe('a stream of very many choices', () => {
  it('keeps those beyond 1,024 as one', () => {
    const stream = new StreamChoices();
    for (let index = 0; index < 5000; index += 1) stream.take(choicesOf(at(index * 7, STOP)));
    expect(stream.endedCount).toBeLessThanOrEqual(1025);
    stream.take(choicesOf(at(2 ** 53 - 1, SAID)));
    expect([stream.areEnded, stream.completeness('sent')]).toEqual([true, 'whole']);
  });

  it('keeps those up to 1,024 apart', () => {
    const many = Array.from({ length: 1024 }, (_, index) => at(index, SAID));
    expect(
      ofStream(
        many,
        many.slice(1).map((one) => ({ ...(one as object), finish_reason: 'stop' })),
      ),
    ).toBe('unfinished');
    expect(
      ofStream(
        many,
        many.map((one) => ({ ...(one as object), finish_reason: 'stop' })),
      ),
    ).toBe('whole');
  });
});

describe('the completeness of any stream', () => {
  const reason = fc.constantFrom(null, null, '', 'stop', 'length', 'odd', 'abort', 'ERROR');
  const piece = fc.record({ content: fc.constantFrom('', '', 'a'), finish_reason: reason });
  /** For each choice its chunks in order. */
  const byChoice = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
  const chunksOf = (pieces: readonly { content: string; finish_reason: string | null }[][]): unknown[][] =>
    pieces.map((row, index) =>
      row.map(({ content, finish_reason }) => ({ index, delta: { content }, finish_reason })),
    );

  it('does not depend on how chunks of different choices interleave', () => {
    fc.assert(
      fc.property(byChoice, fc.infiniteStream(fc.nat()), (pieces, picks) => {
        const queues = chunksOf(pieces).map((row) => [...row]);
        const mixed: unknown[][] = [];
        for (let left = queues.filter((row) => row.length > 0); left.length > 0;) {
          const next = left[(picks.next().value as number) % left.length]!.shift();
          mixed.push([next]);
          left = queues.filter((row) => row.length > 0);
        }
        const inOrder = chunksOf(pieces).flatMap((row) => row.map((one) => [one]));
        expect(ofStream(...mixed)).toBe(ofStream(...inOrder));
      }),
    );
  });

  it('does not depend on how choices are split over chunks', () => {
    fc.assert(
      fc.property(byChoice, fc.infiniteStream(fc.boolean()), (pieces, cuts) => {
        const all = chunksOf(pieces).flat();
        const chunks: unknown[][] = [[]];
        for (const one of all) {
          chunks.at(-1)!.push(one);
          if (cuts.next().value as boolean) chunks.push([]);
        }
        expect(ofStream(...chunks)).toBe(ofStream(all));
      }),
    );
  });

  it('follows the table', () => {
    fc.assert(
      fc.property(byChoice, (pieces) => {
        const reasons = pieces.map((row) =>
          row.map((one) => one.finish_reason ?? '').filter((word) => word !== ''),
        );
        const hasContent = pieces.flat().some(({ content }) => content !== '');
        const areEnded = pieces.length > 0 && reasons.every((row) => row.length > 0);
        const expected = reasons.flat().some(isBadReason)
          ? 'aborted'
          : areEnded
            ? hasContent
              ? 'whole'
              : 'empty'
            : hasContent
              ? 'unfinished'
              : 'none';
        expect(ofStream(...chunksOf(pieces).map((row) => row))).toBe(expected);
      }),
    );
  });
});
