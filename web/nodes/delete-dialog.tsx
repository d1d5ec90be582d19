import { useEffect, useRef } from 'preact/hooks';
import { act, toDelete } from './node-actions.js';
import { deletingSentence } from './node-words.js';

/** Asks before a node is deleted. The browser keeps the focus inside, and gives it back; Escape means no. */
export function DeleteDialog() {
  const node = toDelete.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (node !== null && dialog.current?.open === false) dialog.current.showModal();
  }, [node]);
  // Who leaves the tab while it asks has not said yes, and is not asked again on coming back.
  useEffect(() => () => void (toDelete.value = null), []);
  if (node === null) return null;
  const close = () => (toDelete.value = null);
  return (
    <dialog
      ref={dialog}
      class="dialog card"
      data-testid="delete-dialog"
      aria-labelledby="delete-name"
      aria-describedby="delete-what"
      onClose={close}
      onClick={({ target, currentTarget }) => {
        // The backdrop is the dialog itself, outside of what is in it.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="card-body">
        <h2 id="delete-name">Delete this node?</h2>
        <p class="breakable">
          <strong>{node.node_id}</strong> of {node.model}
        </p>
        <p id="delete-what">
          Its registration ends at once; chats that run on it go on. {deletingSentence(node)}
        </p>
        <div class="dialog-buttons">
          <button type="button" autoFocus onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              dialog.current?.close();
              void act('delete', node);
            }}
          >
            Delete
          </button>
        </div>
      </div>
    </dialog>
  );
}
