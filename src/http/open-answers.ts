import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The answers under way, by the connection they go to: several, where a client sends its next request before it has
 * the answer to the last.
 */
export class OpenAnswers {
  private readonly open = new Map<Socket, Set<ServerResponse>>();

  add(connection: Socket, answer: ServerResponse): void {
    const answers = this.open.get(connection) ?? this.begin(connection);
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
    // Its `close` has been, or is on its way without this answer's turn having come.
    if (connection.destroyed) process.nextTick(tellGone, answer);
  }

  /** An answer has begun on this connection, and has not ended. */
  isAnswering(connection: Socket): boolean {
    return this.some(connection, (answer) => answer.headersSent && !answer.writableFinished);
  }

  /** Some answer has ended, but its last bytes wait for its client to read. Node counts such a connection as idle. */
  get hasUnsent(): boolean {
    const isUnsent = (answer: ServerResponse): boolean => answer.writableEnded && !answer.writableFinished;
    return [...this.open.keys()].some((connection) => this.some(connection, isUnsent));
  }

  private some(connection: Socket, holds: (answer: ServerResponse) => boolean): boolean {
    return [...(this.open.get(connection) ?? [])].some(holds);
  }

  private begin(connection: Socket): Set<ServerResponse> {
    const answers = new Set<ServerResponse>();
    this.open.set(connection, answers);
    connection.once('close', () => {
      this.open.delete(connection);
      // Node tells only the answer whose turn it is that the client has left.
      for (const answer of answers) if (answer.socket === null) tellGone(answer);
    });
    return answers;
  }
}

function tellGone(answer: ServerResponse): void {
  answer.destroy();
  answer.emit('close');
}
