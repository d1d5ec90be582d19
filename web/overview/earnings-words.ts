import type { Earnings, ModelEarnings } from '../api/types.js';
import { counted, duration } from '../parts/format.js';

export interface EarningsWords {
  /** Of the day and of the week; null where neither can be told. */
  readonly saved: readonly { readonly figure: string; readonly rest: string }[] | null;
  readonly scouts: string;
  /** Why what was saved can't be told. */
  readonly why: string | null;
}

type Span = Pick<Earnings, 'control_calls' | 'scout_seconds'> & {
  readonly saved: { readonly seconds: number; readonly plusMinus: number } | null;
};

/** Today, to whoever reads it: the hours roll. */
const DAY = 'in 24 hours';
const WEEK = 'in 7 days';

/** What the first line of the overview says of these models together; null where there are none. */
export function earningsWords(models: readonly ModelEarnings[]): EarningsWords | null {
  if (models.length === 0) return null;
  const [day, week] = [sumOf(models.map((model) => model.day)), sumOf(models.map((model) => model.week))];
  // A tracker younger than a day has one thing to say.
  const isYoung = JSON.stringify(day) === JSON.stringify(week);
  const told = [savedWords(day, DAY), isYoung ? null : savedWords(week, WEEK)].filter(
    (words) => words !== null,
  );
  return {
    saved: told.length === 0 ? null : told,
    scouts: scoutWords(day, isYoung ? null : week),
    why: told.length > 0 ? null : whyNot(week),
  };
}

function sumOf(spans: readonly Earnings[]): Span {
  const known = spans.filter(({ seconds_saved }) => seconds_saved !== null);
  const sum = (of: (span: Earnings) => number): number => spans.reduce((total, span) => total + of(span), 0);
  return {
    control_calls: sum(({ control_calls }) => control_calls),
    scout_seconds: sum(({ scout_seconds }) => scout_seconds),
    saved:
      known.length === 0
        ? null
        : {
            seconds: sum(({ seconds_saved }) => seconds_saved ?? 0),
            // Models are independent of each other.
            plusMinus: Math.hypot(...known.map(({ plus_minus_seconds }) => plus_minus_seconds ?? 0)),
          },
  };
}

function savedWords({ saved, control_calls }: Span, when: string) {
  if (saved === null) return null;
  const { seconds: amount, plusMinus } = saved;
  const against = `against least in-flight (${counted(control_calls, 'control chat')})`;
  if (Math.abs(amount) <= plusMinus) {
    return { figure: 'No difference', rest: `to be seen ${when} ${against}, ± ${seconds(plusMinus)}.` };
  }
  const verb = amount > 0 ? 'saved' : 'lost';
  return { figure: seconds(Math.abs(amount)), rest: `${verb} ${when} ${against}, ± ${seconds(plusMinus)}.` };
}

function scoutWords(day: Span, week: Span | null): string {
  const spent = day.scout_seconds === 0 ? 'No time' : seconds(day.scout_seconds);
  const before = week === null ? '' : `, ${seconds(week.scout_seconds)} ${WEEK}`;
  return `${spent} spent on scouts ${DAY}${before}.`;
}

function whyNot({ control_calls }: Span): string {
  return control_calls === 0
    ? 'What routing saves is not measured: no chats are sent by least in-flight for comparison.'
    : `What routing saves can’t be told yet: so far ${counted(control_calls, 'chat')} went by least in-flight for comparison.`;
}

function seconds(amount: number): string {
  return duration(amount * 1000);
}
