import { useLayoutEffect, useRef } from 'preact/hooks';
import { Empty, Fault } from '../parts/notice.js';
import { linkTo } from '../state/place.js';
import { choices, draft, model, models } from './chat-choices.js';
import { ChatForm } from './chat-form.js';
import { exchanges, isRunning, newChat, send, stop, takeBack } from './conversation.js';
import { ExchangeView } from './exchange-view.js';

/** So near the end one follows what comes. */
const NEAR_PX = 60;

/** A chat through the mesh, to see which route serves it. The conversation is on this page alone. */
export function ChatTab() {
  return (
    <section class="card chat" data-testid="chat" aria-labelledby="chat-name">
      <header>
        <h2 id="chat-name">Try a chat</h2>
        <span class="soft">Nothing of it is kept: it is gone with this page.</span>
        <button type="button" class="new-chat" disabled={exchanges.value.length === 0} onClick={newChat}>
          New chat
        </button>
      </header>
      <NoModels />
      <ChatForm />
      <Conversation />
      <Composer />
      <p class="sr-only" role="status">
        {statusText()}
      </p>
    </section>
  );
}

function NoModels() {
  const { value, fault } = models.polled.value;
  if (fault !== null) {
    return (
      <Fault gone={fault.gone}>
        {fault.gone ? 'The tracker does not answer.' : `The tracker refused: ${fault.message}.`} Trying again.
      </Fault>
    );
  }
  if (value === null || value.data.length > 0) return null;
  return (
    <p class="notice">
      <span>
        No model has a complete route right now; <a href={linkTo('overview')}>the layer map</a> shows what is
        missing.
      </span>
    </p>
  );
}

function Conversation() {
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const all = exchanges.value;
  useLayoutEffect(() => {
    if (isFollowing.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [all]);
  return (
    <div
      ref={box}
      class="conversation"
      role="region"
      aria-label="Conversation"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollTop + clientHeight > scrollHeight - NEAR_PX;
      }}
    >
      {all.length === 0 && (
        <Empty>Ask something. Below the answer you see which route served it, why, and how fast.</Empty>
      )}
      {all.map((exchange) => (
        <ExchangeView key={exchange.id} exchange={exchange} />
      ))}
      <SendAgain />
    </div>
  );
}

/** Only of the newest: what came after it would hang in the air. */
function SendAgain() {
  const last = exchanges.value.at(-1);
  if (last?.state !== 'failed') return null;
  return (
    <p>
      <button type="button" onClick={() => ask(takeBack())}>
        Send again
      </button>{' '}
      <button type="button" onClick={() => (draft.value = takeBack())}>
        Edit
      </button>
    </p>
  );
}

function Composer() {
  const canSend = draft.value.trim() !== '' && model.value !== '' && !isRunning();
  const submit = () => {
    if (!canSend) return;
    ask(draft.value);
    draft.value = '';
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        aria-label="Your question"
        data-testid="chat-input"
        placeholder="Your question. Enter sends, Shift+Enter begins a new line."
        rows={3}
        value={draft.value}
        onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
        onKeyDown={(event) => {
          // Enter may be what ends the composing of a character.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {isRunning() ? (
        <button type="button" data-testid="chat-stop" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" data-testid="chat-send" disabled={!canSend}>
          Send
        </button>
      )}
    </form>
  );
}

function ask(question: string): void {
  void send(question, choices.peek());
}

/** Read aloud when it changes; the text itself is not, while it comes. */
function statusText(): string {
  const last = exchanges.value.at(-1);
  if (last === undefined) return '';
  return { running: 'The answer is coming.', done: 'The answer is whole.', stopped: 'Stopped.', failed: '' }[
    last.state
  ];
}
