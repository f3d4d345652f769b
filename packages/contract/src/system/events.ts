import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'

/** Server-sent events of an open console: `event:` is the key, `data:` is JSON of the schema. */
export const CONSOLE_EVENTS = {
  /** Number of unread messages: sent first on every connection, and when the number changes. */
  unread: z.object({ count: z.int() }),
  /** The account's permissions changed; the console reloads `account.perms`. */
  perms: z.object({ version: z.string() }),
  /** The session was ended: forced out, replaced, disabled, or the password was changed. */
  sessionEnd: z.object({ msg: z.string() }),
  /** Dictionary `type` changed; the console clears its cache of the dictionary. */
  dict: z.object({ type: z.string() }),
  /**
   * Rows of this resource (third part of the call's path, e.g. `device`) changed; the console reloads visible lists.
   */
  changed: z.object({ resource: z.string() }),
  /** Progress of a background job of the account. `percent` is 0-100; `state` as in `jobs`. */
  job: z.object({ jobId: z.int(), state: z.string(), percent: z.int() }),
  /** A new message for the account, shown as a toast and in the message list. */
  notice: z.object({ noticeId: z.int(), title: z.string() }),
} as const
export type ConsoleEvent = keyof typeof CONSOLE_EVENTS
export type ConsoleEventData<K extends ConsoleEvent> = z.output<(typeof CONSOLE_EVENTS)[K]>

export const events = {
  /**
   * Event stream, read with `fetch` to send the headers `ticket` and `ownerId`. A comment every 20 s keeps the
   * connection open.
   */
  stream: {
    method: 'GET',
    path: '/api/v1/events',
    access: 'session',
    stream: 'events',
    input: z.object({}),
    result: z.null(),
  },
} as const satisfies Contract
