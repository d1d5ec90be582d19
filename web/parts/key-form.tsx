import { useState } from 'preact/hooks';
import { ask, TrackerRefusal } from '../api/client.js';
import { adminKey, forgetKey, keepKey, keyFault, keyNeed } from '../state/admin-key.js';
import { Fault } from './notice.js';

const WRONG = 'The tracker does not know this key.';

/** Shown instead of the dashboard while the tracker lets nobody read without a key. */
export function KeyForm() {
  const [text, setText] = useState('');
  const [isTrying, setTrying] = useState(false);
  const [fault, setFault] = useState(keyNeed.peek() === 'wrong' ? WRONG : null);
  const submit = async () => {
    setTrying(true);
    setFault(null);
    setFault(await tryKey(text.trim()));
    setTrying(false);
  };
  return (
    <section class="card key-card" aria-labelledby="key-title">
      <form
        class="card-body key-form"
        data-testid="key-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2 id="key-title">This tracker asks for a key</h2>
        <p id="key-what">The dashboard shows and does what an operator may: it needs an admin key.</p>
        <label>
          Admin key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            autoFocus
            aria-describedby="key-what key-kept"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p id="key-kept" class="soft">
          Kept for this tab only, and sent to this tracker alone.
        </p>
        {fault !== null && <Fault>{fault}</Fault>}
        <button type="submit" disabled={isTrying}>
          {isTrying ? 'Asking the tracker …' : 'Open the dashboard'}
        </button>
      </form>
    </section>
  );
}

/** In the header, while a key is in use. */
export function ForgetKey() {
  if (adminKey.value === null) return null;
  return (
    <button type="button" class="forget-key" onClick={forgetKey}>
      Forget the key
    </button>
  );
}

/** Asks with it before it is kept, so that a wrong one never is. @returns what is wrong with it */
async function tryKey(key: string): Promise<string | null> {
  const fault = keyFault(key);
  if (fault !== null) return fault;
  try {
    await ask('/v1/routing', {}, key);
    keepKey(key);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof TrackerRefusal)) return 'The tracker does not answer. Try again.';
    return thrown.status === 401 ? WRONG : `The tracker refused: ${thrown.message}`;
  }
}
