// The mails of the local platform. They do not leave the machine: the last ones are kept in memory and shown at /_mail.

export interface Mail {
  readonly id: number;
  readonly sentAt: Date;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
  /** The mail as HTML, if it has that form. */
  readonly html?: string;
  /** The link in the mail, if there is one. */
  readonly link?: string;
  /** The code in the mail. An invitation has one too, which its text leaves out. */
  readonly code?: string;
}

const MAX_MAILS = 200;

export class Mailbox {
  readonly #mails: Mail[] = [];
  #last = 0;

  /** `log`: receives one line for each mail. */
  constructor(readonly log: (line: string) => void) {}

  send(mail: Omit<Mail, "id" | "sentAt">): void {
    this.#mails.unshift({ id: ++this.#last, sentAt: new Date(), ...mail });
    this.#mails.length = Math.min(this.#mails.length, MAX_MAILS);
    this.log(`Mail to ${mail.to}: ${mail.subject} (/_mail/${this.#last})`);
  }

  /** The latest first; only those to one address if it is given. */
  list(to?: string): readonly Mail[] {
    return to === undefined ? this.#mails : this.#mails.filter((mail) => mail.to === to.toLowerCase());
  }

  find(id: number): Mail | undefined {
    return this.#mails.find((mail) => mail.id === id);
  }
}
