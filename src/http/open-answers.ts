import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Roster, type Rostered } from '../kernel/index.js';

/** The answers under way on one connection: several, where a client does not wait for one before it asks again. */
class Connection implements Rostered {
  place = -1;
  readonly answers: ServerResponse[] = [];

  remove(answer: ServerResponse): void {
    const at = this.answers.indexOf(answer);
    if (at >= 0) this.answers.splice(at, 1);
  }
}

/** The answers under way, by the connection they go to. */
export class OpenAnswers {
  private readonly bySocket = new WeakMap<Socket, Connection>();
  private readonly open = new Roster<Connection>();

  add(socket: Socket, answer: ServerResponse): void {
    const connection = this.bySocket.get(socket) ?? this.begin(socket);
    connection.answers.push(answer);
    answer.once('close', () => connection.remove(answer));
    // Its `close` has been, or is on its way without this answer's turn having come.
    if (socket.destroyed) process.nextTick(tellGone, answer);
  }

  /** An answer has begun on this connection, and has not ended. */
  isAnswering(socket: Socket): boolean {
    const answers = this.bySocket.get(socket)?.answers ?? [];
    return answers.some((answer) => answer.headersSent && !answer.writableFinished);
  }

  /** Some answer has ended, but its last bytes wait for its client to read. Node counts such a connection as idle. */
  get hasUnsent(): boolean {
    const isUnsent = (answer: ServerResponse): boolean => answer.writableEnded && !answer.writableFinished;
    return [...this.open].some(({ answers }) => answers.some(isUnsent));
  }

  private begin(socket: Socket): Connection {
    const connection = new Connection();
    this.bySocket.set(socket, connection);
    this.open.add(connection);
    socket.once('close', () => {
      this.open.delete(connection);
      // Node tells only the answer whose turn it is that the client has left.
      for (const answer of [...connection.answers]) if (answer.socket === null) tellGone(answer);
    });
    return connection;
  }
}

function tellGone(answer: ServerResponse): void {
  answer.destroy();
  answer.emit('close');
}
