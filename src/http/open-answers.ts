import type { Socket } from 'node:net';
import { Roster, type Rostered } from '../kernel/index.js';
import type { AnswerList, HttpResponse } from './http-messages.js';

const CONNECTION = Symbol('connection');

interface Known {
  [CONNECTION]?: Connection;
}

/** The answers under way on one connection: several, where a client does not wait for one before it asks again. */
class Connection implements Rostered, AnswerList {
  place = -1;
  readonly answers: HttpResponse[] = [];

  remove(answer: HttpResponse): void {
    const { answers } = this;
    // Nearly always there is but one.
    if (answers[answers.length - 1] === answer) answers.pop();
    else {
      const at = answers.indexOf(answer);
      if (at >= 0) answers.splice(at, 1);
    }
  }
}

/** The answers under way, by the connection they go to. */
export class OpenAnswers {
  private readonly open = new Roster<Connection>();

  add(socket: Socket, answer: HttpResponse): void {
    const connection = (socket as Known)[CONNECTION] ?? this.begin(socket);
    connection.answers.push(answer);
    answer.list = connection;
    answer.on('close', closed);
    // Its `close` has been, or is on its way without this answer's turn having come.
    if (socket.destroyed) process.nextTick(tellGone, answer);
  }

  /** An answer has begun on this connection, and has not ended. */
  isAnswering(socket: Socket): boolean {
    const answers = (socket as Known)[CONNECTION]?.answers ?? [];
    // Of those whose turn has not come nothing is on its way.
    return answers.some((answer) => answer.socket !== null && answer.headersSent && !answer.writableFinished);
  }

  /** Some answer has ended, but its last bytes wait for its client to read. Node counts such a connection as idle. */
  get hasUnsent(): boolean {
    const isUnsent = (answer: HttpResponse): boolean => answer.writableEnded && !answer.writableFinished;
    return [...this.open].some(({ answers }) => answers.some(isUnsent));
  }

  private begin(socket: Socket): Connection {
    const connection = new Connection();
    (socket as Known)[CONNECTION] = connection;
    this.open.add(connection);
    socket.once('close', () => {
      this.open.delete(connection);
      // Node tells only the answer whose turn it is that the client has left.
      for (const answer of [...connection.answers]) if (answer.socket === null) tellGone(answer);
    });
    return connection;
  }
}

/** One listener for all answers and all who want to know; the end of one may be told twice, by Node and by {@link tellGone}. */
function closed(this: HttpResponse): void {
  const { list, closeWatcher } = this;
  this.list = null;
  this.closeWatcher = null;
  list?.remove(this);
  closeWatcher?.onClosed();
}

function tellGone(answer: HttpResponse): void {
  answer.destroy();
  answer.emit('close');
}
