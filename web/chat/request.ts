/** What one chooses before sending. Numbers are text as it was typed; empty leaves them to the node. */
export interface ChatChoices {
  readonly model: string;
  /** Empty: the tracker chooses. */
  readonly route: readonly string[];
  readonly system: string;
  readonly maxTokens: string;
  readonly temperature: string;
}

/** One turn of the conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The body of `POST /v1/chat/completions`. */
export function chatBody(choices: ChatChoices, turns: readonly Turn[]): object {
  const { model, route, system, maxTokens, temperature } = choices;
  const messages = system.trim() === '' ? turns : [{ role: 'system', content: system }, ...turns];
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(route.length === 0 ? {} : { route }),
    ...numberField('max_tokens', maxTokens),
    ...numberField('temperature', temperature),
  };
}

function numberField(name: string, text: string): object {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? {} : { [name]: value };
}

/** Node ids from what was typed: separated by arrows, commas or white space. */
export function hopsTyped(text: string): string[] {
  return text.split(/\s*(?:->|→|,|\s)\s*/).filter((part) => part !== '');
}

/** The tracker percent-encodes what isn't ASCII when it writes a signature into a header, and nothing else. */
export function signatureFromHeader(value: string): string {
  return value.replace(/(?:%[89A-F][0-9A-F])+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** A conversation as it is sent along with the next question: whatever was answered, whole or not. */
export function turnsOf(
  exchanges: readonly { readonly question: string; readonly answer: string }[],
  question: string,
): Turn[] {
  const said = exchanges.flatMap((exchange): Turn[] =>
    exchange.answer === ''
      ? []
      : [
          { role: 'user', content: exchange.question },
          { role: 'assistant', content: exchange.answer },
        ],
  );
  return [...said, { role: 'user', content: question }];
}
